//! What a tolerant reader lost and put right, in words.

use std::io::{self, Write};

use exectrace_json::{between, loss_line};
use exectrace_reader::{Gap, Loss, Repairs, Timestamp};

use crate::advice;

/// So many gaps are told one by one.
const GAPS_TOLD: usize = 10;

/// A line for each of the first gaps and each kind of repair, with the place of the first.
pub(crate) fn print_places(
    output: &mut impl Write,
    loss: &Loss,
    repairs: &Repairs,
    first: Timestamp,
) -> io::Result<()> {
    for gap in loss.gaps.iter().take(GAPS_TOLD) {
        writeln!(output, "  lost: {}", gap_line(gap, first))?;
    }
    let told = loss.gaps.len().min(GAPS_TOLD) as u64;
    if loss.gap_count > told {
        writeln!(output, "  lost: and {} more", loss.gap_count - told)?;
    }
    if loss.lacks_end {
        writeln!(output, "  lost: {}", advice::NOT_STOPPED)?;
    }
    for (repair, repaired) in &repairs.by_kind {
        let (count, text) = (repaired.count, repair.text());
        writeln!(
            output,
            "  repaired: {text}: {count}, first at {}",
            repaired.first
        )?;
    }
    Ok(())
}

/// Says on standard error what of a trace was lost or put right, if anything was.
pub(crate) fn tell(name: &str, loss: &Loss, repairs: &Repairs, first: Timestamp) {
    if loss.is_none() && repairs.is_none() {
        return;
    }
    let (lost, repaired) = (loss_line(loss, first), repairs);
    eprintln!("exectrace: {name}: lost {lost}; repaired {repaired}");
    // What is said of the places can be lost: there is no better place for it.
    let _ = print_places(&mut io::stderr().lock(), loss, repairs, first);
}

fn gap_line(gap: &Gap, first: Timestamp) -> String {
    let at_least = if gap.is_exact { "" } else { "at least " };
    let (bytes, events) = (gap.bytes, gap.events);
    let time = gap
        .time
        .map_or_else(String::new, |time| between(time, first));
    let advice = advice::on_fault(&gap.error);
    format!(
        "{bytes} bytes, {at_least}{events} events{time}: {}; {advice}",
        gap.error
    )
}

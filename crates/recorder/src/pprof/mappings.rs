//! The code that is mapped into the process, for a profile.

/// A stretch of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CodeMapping {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) offset: u64,
    pub(super) name: String,
}

/// All code of the process, by address.
pub(super) fn of_process() -> Vec<CodeMapping> {
    let list = std::fs::read("/proc/self/maps").unwrap_or_default();
    String::from_utf8_lossy(&list)
        .lines()
        .filter_map(code_mapping)
        .collect()
}

/// `start-end r-xp offset device inode  name`; `None` for what is not code.
fn code_mapping(line: &str) -> Option<CodeMapping> {
    let mut fields = line.splitn(6, ' ');
    let (start, end) = fields.next()?.split_once('-')?;
    if !fields.next()?.contains('x') {
        return None;
    }
    let offset = fields.next()?;
    let name = fields.nth(2).unwrap_or_default().trim_start();
    Some(CodeMapping {
        start: u64::from_str_radix(start, 16).ok()?,
        end: u64::from_str_radix(end, 16).ok()?,
        offset: u64::from_str_radix(offset, 16).ok()?,
        name: if name.is_empty() { "[anon]" } else { name }.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_alone_is_listed_with_its_name() {
        let line = "7f00-7f80 r-xp 00000040 fe:00 99          /lib/my lib.so";
        let mapping = code_mapping(line).expect("the line is one of code");
        assert_eq!(
            (mapping.start, mapping.end, mapping.offset),
            (0x7f00, 0x7f80, 0x40)
        );
        assert_eq!(mapping.name, "/lib/my lib.so");
        assert_eq!(code_mapping("7f00-7f80 rw-p 0 0 0 /lib/x"), None);
        assert_eq!(code_mapping(""), None);
        let own = code_alone_is_listed_with_its_name as fn() as usize as u64;
        let mappings = of_process();
        assert!(mappings.iter().any(|it| it.start <= own && own < it.end));
        assert!(mappings.is_sorted_by_key(|it| it.start));
    }
}

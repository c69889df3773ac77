//! Sorts as Go's library does, and leaves equal elements where it leaves them.
//!
//! Go's reader sorts threads and CPU samples by time, and what of one time comes first is told to whoever reads. Its sort is not
//! stable: a quicksort that looks for patterns, to which the Go library has its own numbers. So each step here is one of those,
//! in the same order:
//!
//! ```text
//! part ─► short: insertion
//!      ─► too many bad pivots: heap
//!      ─► pivot of 3 or 9 ─► falling: reverse
//!                         ─► rising, and all was well: insert what is astray; done if that is little
//!                         ─► as small as all before the part: put the equals aside, go on with the rest
//!                         ─► partition; the shorter side first, then go on with the longer one
//! ```

use std::mem;

/// Up to here elements are inserted one by one.
const INSERTION_LENGTH: usize = 12;
/// From here the pivot is a median of nine; from here, too, a part that is nearly in order is mended.
const LONG_LENGTH: usize = 50;
/// So many elements astray are put in their places, not more.
const ASTRAY_MAX: usize = 5;
/// A side of a partition that is shorter than this share makes it a bad one.
const BALANCED_SHARE: usize = 8;
/// Exchanges of a median of nine that each found two elements falling.
const SWAPS_MAX: usize = 12;

/// What the pivot's choice has seen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trend {
    Rising,
    Falling,
    Unknown,
}

/// Sorts by the key.
pub(super) fn sort<T>(items: &mut [T], key: impl Fn(&T) -> i64 + Copy) {
    let bad_pivots_left = usize::BITS - items.len().leading_zeros();
    sort_part(items, None, bad_pivots_left, key);
}

/// Sorts a part, before which stands an element with the key `before`.
fn sort_part<T>(
    mut part: &mut [T],
    mut before: Option<i64>,
    mut bad_pivots_left: u32,
    key: impl Fn(&T) -> i64 + Copy,
) {
    let (mut was_balanced, mut was_in_order) = (true, true);
    loop {
        let length = part.len();
        if length <= INSERTION_LENGTH {
            return insert_all(part, key);
        }
        if bad_pivots_left == 0 {
            return heap_sort(part, key);
        }
        if !was_balanced {
            shuffle(part);
            bad_pivots_left -= 1;
        }
        let (mut pivot, mut trend) = choose_pivot(part, key);
        if trend == Trend::Falling {
            part.reverse();
            pivot = length - 1 - pivot;
            trend = Trend::Rising;
        }
        if was_balanced && was_in_order && trend == Trend::Rising && mend(part, key) {
            return;
        }
        if before.is_some_and(|before| before >= key(&part[pivot])) {
            let equals = put_equals_first(part, pivot, key);
            before = Some(key(&part[equals - 1]));
            part = &mut mem::take(&mut part)[equals..];
            continue;
        }
        let middle;
        (middle, was_in_order) = partition(part, pivot, key);
        let (left, rest) = mem::take(&mut part).split_at_mut(middle);
        was_balanced = left.len().min(rest.len()) >= length / BALANCED_SHARE;
        let is_left_shorter = left.len() < rest.len();
        let (pivot, right) = rest.split_at_mut(1);
        let pivot = Some(key(&pivot[0]));
        if is_left_shorter {
            sort_part(left, before, bad_pivots_left, key);
            (part, before) = (right, pivot);
        } else {
            sort_part(right, pivot, bad_pivots_left, key);
            part = left;
        }
    }
}

fn insert_all<T>(part: &mut [T], key: impl Fn(&T) -> i64 + Copy) {
    for end in 1..part.len() {
        sink(&mut part[..=end], key);
    }
}

/// Moves the last element down to its place among those before it.
fn sink<T>(part: &mut [T], key: impl Fn(&T) -> i64 + Copy) {
    let mut at = part.len() - 1;
    while at > 0 && key(&part[at]) < key(&part[at - 1]) {
        part.swap(at, at - 1);
        at -= 1;
    }
}

/// Moves the first element up to its place among those after it.
fn rise<T>(part: &mut [T], key: impl Fn(&T) -> i64 + Copy) {
    let mut at = 0;
    while at + 1 < part.len() && key(&part[at + 1]) < key(&part[at]) {
        part.swap(at, at + 1);
        at += 1;
    }
}

/// The greatest goes to the top of a heap, and from there to the end.
fn heap_sort<T>(part: &mut [T], key: impl Fn(&T) -> i64 + Copy) {
    for root in (0..part.len().div_ceil(2)).rev() {
        sift_down(part, root, key);
    }
    for end in (0..part.len()).rev() {
        part.swap(0, end);
        sift_down(&mut part[..end], 0, key);
    }
}

fn sift_down<T>(heap: &mut [T], mut root: usize, key: impl Fn(&T) -> i64 + Copy) {
    loop {
        let mut child = 2 * root + 1;
        if child >= heap.len() {
            return;
        }
        if child + 1 < heap.len() && key(&heap[child]) < key(&heap[child + 1]) {
            child += 1;
        }
        if key(&heap[root]) >= key(&heap[child]) {
            return;
        }
        heap.swap(root, child);
        root = child;
    }
}

/// Exchanges three elements in the middle with others, so that no pattern makes pivots bad for ever.
fn shuffle<T>(part: &mut [T]) {
    let length = part.len();
    let mask = (length + 1).next_power_of_two() - 1;
    let mut random = length as u64;
    for at in length / 4 * 2 - 1..=length / 4 * 2 + 1 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let other = random as usize & mask;
        part.swap(
            at,
            if other < length {
                other
            } else {
                other - length
            },
        );
    }
}

/// Where an element is that is neither small nor great, as far as one can see.
fn choose_pivot<T>(part: &[T], key: impl Fn(&T) -> i64 + Copy) -> (usize, Trend) {
    let quarter = part.len() / 4;
    let mut swaps = 0;
    let mut candidates = [quarter, 2 * quarter, 3 * quarter];
    if part.len() >= LONG_LENGTH {
        for candidate in &mut candidates {
            let around = [*candidate - 1, *candidate, *candidate + 1];
            *candidate = median(part, around, &mut swaps, key);
        }
    }
    let pivot = median(part, candidates, &mut swaps, key);
    let trend = match swaps {
        0 => Trend::Rising,
        SWAPS_MAX => Trend::Falling,
        _ => Trend::Unknown,
    };
    (pivot, trend)
}

/// Which of three elements is the middle one. Counts the pairs that fall.
fn median<T>(
    part: &[T],
    [mut low, mut middle, mut high]: [usize; 3],
    swaps: &mut usize,
    key: impl Fn(&T) -> i64 + Copy,
) -> usize {
    let mut order = |first: &mut usize, second: &mut usize| {
        if key(&part[*second]) < key(&part[*first]) {
            mem::swap(first, second);
            *swaps += 1;
        }
    };
    order(&mut low, &mut middle);
    order(&mut middle, &mut high);
    order(&mut low, &mut middle);
    middle
}

/// Puts a few elements that are astray in their places; whether all is in order then.
fn mend<T>(part: &mut [T], key: impl Fn(&T) -> i64 + Copy) -> bool {
    let mut at = 1;
    for _ in 0..ASTRAY_MAX {
        while at < part.len() && key(&part[at]) >= key(&part[at - 1]) {
            at += 1;
        }
        if at == part.len() {
            return true;
        }
        if part.len() < LONG_LENGTH {
            return false;
        }
        part.swap(at, at - 1);
        sink(&mut part[..at], key);
        rise(&mut part[at..], key);
    }
    false
}

/// Puts what is not greater than the pivot first; how many that are.
fn put_equals_first<T>(part: &mut [T], pivot: usize, key: impl Fn(&T) -> i64 + Copy) -> usize {
    part.swap(0, pivot);
    let pivot = key(&part[0]);
    exchange(part, |item| key(item) <= pivot)
}

/// Puts what is less than the pivot before it, and the rest after it: where it is then, and whether all stood so before.
fn partition<T>(part: &mut [T], pivot: usize, key: impl Fn(&T) -> i64 + Copy) -> (usize, bool) {
    part.swap(0, pivot);
    let pivot = key(&part[0]);
    let is_less = |item: &T| key(item) < pivot;
    let first_right = part[1..].iter().position(|item| !is_less(item));
    let was_in_order = first_right.is_none_or(|first| !part[1 + first..].iter().any(is_less));
    let middle = exchange(part, is_less) - 1;
    part.swap(middle, 0);
    (middle, was_in_order)
}

/// Exchanges elements after the first that belong to the other side, from both ends, until sides meet: where they do.
fn exchange<T>(part: &mut [T], is_left: impl Fn(&T) -> bool) -> usize {
    let (mut left, mut right) = (1, part.len());
    loop {
        while left < right && is_left(&part[left]) {
            left += 1;
        }
        while left < right && !is_left(&part[right - 1]) {
            right -= 1;
        }
        if left == right {
            return left;
        }
        part.swap(left, right - 1);
        left += 1;
        right -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys and places of a shape: random with many and few equals, falling, rising with some astray, and as a saw.
    fn items(length: usize, shape: usize) -> Vec<(i64, usize)> {
        let mut random = length as u64;
        let key = |place: usize| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let key = match shape {
                0 => random as usize % 4,
                1 => random as usize % length,
                2 => (length - place) / 2,
                3 if random.is_multiple_of(16) => 0,
                3 => place / 3,
                _ => place % 17,
            };
            (key as i64, place)
        };
        (0..length).map(key).collect()
    }

    /// What Go's `slices.SortFunc` does with the same items: a number of the places in the order in which they come out.
    #[rustfmt::skip]
    const GO: [(usize, [u64; 5]); 6] = [
        (13, [0x6484_cc54_a275_22a0, 0x36c8_7e91_bd37_0f4a, 0x872a_f128_16bd_7e6c, 0x0060_6324_b09b_44c6, 0x0060_6324_b09b_44c6]),
        (40, [0xbbed_b3fe_ad12_e45c, 0xe83a_e860_5a37_62de, 0x4328_66a6_a624_9e06, 0xae94_3d27_277d_c61c, 0x227e_641e_2c78_711c]),
        (50, [0x07e4_2c0b_c730_b6cb, 0x973d_aab0_798c_1793, 0xe385_83f1_773b_36dd, 0x5be5_e47c_2945_3bcd, 0xd170_2c4a_8685_56d7]),
        (64, [0xc918_ea70_8839_ce0a, 0x8bc5_a3f0_4f36_3ad4, 0x6df3_430b_68b5_6050, 0x1c4c_d61b_6a9d_a782, 0x8994_1017_5512_5656]),
        (100, [0x9e72_84ea_5935_3454, 0x615d_ae65_999d_0280, 0x45fd_4b28_219e_76f6, 0xb10b_2cc5_8c87_c5ea, 0x119d_0182_1827_3ae0]),
        (1000, [0xd28b_9c4a_5022_0310, 0x849d_f22a_a7ed_d75c, 0xcb84_2a7d_cf4e_8484, 0x318d_e1bc_20ec_8f5e, 0x7c9e_d5af_d1d4_28a0]),
    ];

    #[test]
    fn equal_elements_stand_where_go_leaves_them() {
        for (length, wanted) in GO {
            for (shape, wanted) in wanted.into_iter().enumerate() {
                let mut items = items(length, shape);
                sort(&mut items, |item| item.0);
                let places = items.iter().fold(0_u64, |number, item| {
                    number.wrapping_mul(31).wrapping_add(item.1 as u64)
                });
                assert_eq!(places, wanted, "length {length}, shape {shape}");
            }
        }
    }

    #[test]
    fn everything_is_sorted_also_when_pivots_are_bad() {
        for length in (0..70).chain([1000, 10_000]) {
            for shape in 0..5 {
                for bad_pivots_left in [0, 1, 64] {
                    let mut items = items(length, shape);
                    sort_part(&mut items, None, bad_pivots_left, |item| item.0);
                    assert!(items.is_sorted_by_key(|item| item.0), "length {length}");
                    items.sort_by_key(|item| item.1);
                    assert!(
                        items
                            .iter()
                            .enumerate()
                            .all(|(place, item)| place == item.1)
                    );
                }
            }
        }
    }
}

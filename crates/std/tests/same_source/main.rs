//! One program, built with the standard library and with the traced one: signatures, behaviour and traits are the same.
#![expect(clippy::duplicate_mod, reason = "one source is what is tested")]

mod standard;
mod traced;

#[test]
fn the_same_traits_are_implemented() {
    let standard = standard::program::traits();
    let traced = traced::program::traits();
    assert!(standard.len() > 100);
    assert!(standard.iter().any(|(_, is)| *is) && standard.iter().any(|(_, is)| !*is));
    for (ours, theirs) in traced.iter().zip(&standard) {
        assert_eq!(ours, theirs);
    }
}

//! Where a row's intervals are: in a track of its own while it grows, packed beside others once nothing will come. Of millions of
//! rows that were there shortly, few bytes each.

use crate::grid::Grid;
use crate::track::{self, Drawn, Intervals, PYRAMID_INTERVALS_MIN, Runs, Track};

/// Bytes of a piece of the arena.
const PIECE_BYTES: usize = 1 << 20;

/// Where a row's intervals are.
#[derive(Debug, Default)]
pub(super) enum Place {
    /// None were told.
    #[default]
    Nowhere,
    /// Others may come, or it has levels of detail.
    Own(Box<Track>),
    /// None will.
    Sealed(Sealed),
}

/// Where few intervals are, of a row that does not grow: there are millions of these.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sealed {
    piece: u32,
    begin: u32,
    length: u16,
    count: u16,
}

/// Bytes that never grow.
#[derive(Debug, Default)]
pub(super) struct Arena {
    pieces: Vec<Vec<u8>>,
}

/// Some of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    piece: u32,
    begin: u32,
    length: u32,
}

impl Place {
    /// Appends an interval, and gives it as it is then; `None` where nothing was to come.
    pub(super) fn push(&mut self, drawn: Drawn) -> Option<Drawn> {
        if let Self::Nowhere = self {
            *self = Self::Own(Box::default());
        }
        match self {
            Self::Own(track) => Some(track.push(drawn)),
            Self::Nowhere | Self::Sealed(_) => None,
        }
    }

    /// Nothing comes after what there is.
    pub(super) fn seal(&mut self, arena: &mut Arena) {
        let Self::Own(track) = self else {
            return;
        };
        let intervals = track.intervals();
        if intervals.len() >= PYRAMID_INTERVALS_MIN {
            track.finish();
            return;
        }
        let (count, length) = (intervals.len(), intervals.bytes().len());
        let (Ok(count), Ok(length)) = (u16::try_from(count), u16::try_from(length)) else {
            track.finish();
            return;
        };
        let Stretch { piece, begin, .. } = arena.keep(intervals.bytes());
        *self = Self::Sealed(Sealed {
            piece,
            begin,
            length,
            count,
        });
    }

    pub(super) fn intervals<'a>(&'a self, arena: &'a Arena) -> Intervals<'a> {
        match self {
            Self::Own(track) => track.intervals(),
            Self::Sealed(sealed) => {
                Intervals::of_bytes(arena.bytes_from(sealed.stretch()), sealed.count.into())
            }
            Self::Nowhere => Intervals::default(),
        }
    }

    /// What a screen can show.
    pub(super) fn runs(&self, arena: &Arena, grid: Grid) -> Runs {
        match self {
            Self::Own(track) => track.runs(grid),
            _ => track::runs(self.intervals(arena), grid),
        }
    }
}

impl Sealed {
    fn stretch(self) -> Stretch {
        Stretch {
            piece: self.piece,
            begin: self.begin,
            length: self.length.into(),
        }
    }
}

impl Arena {
    pub(super) fn keep(&mut self, bytes: &[u8]) -> Stretch {
        let has_room = self
            .pieces
            .last()
            .is_some_and(|piece| piece.len() + bytes.len() <= PIECE_BYTES);
        if !has_room {
            self.pieces
                .push(Vec::with_capacity(PIECE_BYTES.max(bytes.len())));
        }
        let place = self.pieces.len() - 1;
        let piece = &mut self.pieces[place];
        let begin = piece.len();
        piece.extend(bytes);
        Stretch {
            piece: place as u32,
            begin: begin as u32,
            length: bytes.len() as u32,
        }
    }

    pub(super) fn bytes(&self, stretch: Stretch) -> &[u8] {
        &self.bytes_from(stretch)[..stretch.length as usize]
    }

    /// The same, and others behind them.
    fn bytes_from(&self, stretch: Stretch) -> &[u8] {
        &self.pieces[stretch.piece as usize][stretch.begin as usize..]
    }
}

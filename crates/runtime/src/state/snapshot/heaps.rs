//! Saving and restoring heaps. Each heap knows how far it was used and is zero beyond that.

use core::cell::Cell;

use super::{copy, different_pages};
use crate::addresses::{self, HEAP_IMAGES, PAGE, Reserve};
use crate::heap;
use crate::lifetime::{self, Lent};

/// One heap at the snapshot.
#[derive(Clone, Copy)]
struct Saved {
    base: usize,
    length: usize,
    image: usize,
    /// The image of the map of bytes that may be touched in the heap.
    map_image: usize,
}

/// The heaps at the snapshot.
pub struct Heaps {
    saved: Lent<Cell<Saved>>,
    count: Cell<usize>,
}

impl Heaps {
    /// The state at the start of the process.
    pub const fn new() -> Heaps {
        Heaps { saved: Cell::new(&[]), count: Cell::new(0) }
    }
}

fn heaps() -> &'static Heaps {
    &lifetime::process().snapshot.heaps
}

/// Reserves memory for the list. Call this once.
pub fn set_up(reserve: &mut Reserve, threads: usize) {
    // One for each thread, the system's, and to spare.
    heaps().saved.set(reserve.take(threads + 64));
}

fn saved(base: usize) -> Option<Saved> {
    heaps().saved.get()[..heaps().count.get()].iter().map(Cell::get).find(|saved| saved.base == base)
}

/// Saves all heaps.
pub fn save() {
    let mut image = HEAP_IMAGES;
    let mut count = 0;
    for (base, length) in heap::arenas().filter(|&(_, length)| length > 0) {
        addresses::map(image, length);
        copy(image, base, length);
        let map_image = image + length.next_multiple_of(PAGE) + PAGE;
        let (map, map_length) = heap::map_of(base, length);
        addresses::map(map_image, map_length);
        copy(map_image, map, map_length);
        heaps().saved.get()[count].set(Saved { base, length, image, map_image });
        count += 1;
        image = map_image + map_length.next_multiple_of(PAGE) + PAGE;
    }
    heaps().count.set(count);
}

/// Restores all heaps.
pub fn restore() {
    for (base, used) in heap::arenas() {
        let length = match saved(base) {
            Some(saved) => {
                copy(base, saved.image, saved.length);
                let (map, map_length) = heap::map_of(base, saved.length);
                copy(map, saved.map_image, map_length);
                saved.length
            }
            None => 0,
        };
        heap::erase(base + length, base + used.max(length));
        let (map, kept) = heap::map_of(base, length);
        heap::erase(map + kept, map + heap::map_of(base, used).1.max(kept));
    }
}

/// How many pages differ from their images.
pub fn differing() -> u64 {
    let mut count = 0;
    for (base, used) in heap::arenas() {
        count += match saved(base) {
            Some(saved) => {
                let (map, map_length) = heap::map_of(base, saved.length);
                different_pages(base, saved.image, saved.length)
                    + different_pages(map, saved.map_image, map_length)
                    + (used != saved.length) as u64
            }
            None => (used != 0) as u64,
        };
    }
    count
}

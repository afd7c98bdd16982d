//! From the pages of the program to the pages of cells that belong to them.

use super::cell::Cell;
use crate::lend::{Full, Lender, Zero};

/// Cells of a granule.
pub(super) const CELLS: usize = 4;
/// Granules of a page of the program.
pub(super) const GRANULES: usize = 4096 / 8;
/// Pages that are found without a look into the map.
const CACHE: usize = 256;

/// The cells of one granule.
pub(super) type Granule = [Cell; CELLS];

/// Where the cells of a page of the program are.
#[derive(Clone, Copy)]
#[repr(C)]
struct Page {
    /// The page's number plus one; 0 in an empty entry.
    page: usize,
    /// The [`GRANULES`] granules of the page. Dangling in an empty entry.
    cells: *mut Granule,
}

// SAFETY: a number and a raw pointer.
unsafe impl Zero for Page {}

const EMPTY: Page = Page { page: 0, cells: core::ptr::null_mut() };

/// A hash table of pages, with a cache in front of it. Pages of cells are lent when a page of the program is first accessed, and kept.
pub(super) struct Pages<'m, L> {
    /// A hash table of pages. The length is a power of two.
    map: &'m mut [Page],
    recent: [Page; CACHE],
    /// Where in the map its pages are, in the order in which they were first accessed.
    list: &'m mut [u32],
    /// Pages in the map.
    known: usize,
    lender: L,
}

impl<'m, L: Lender<'m>> Pages<'m, L> {
    pub(super) fn new(map: &mut impl Lender<'m>, most: usize, lender: L) -> Pages<'m, L> {
        assert!(most.is_power_of_two());
        Pages { map: map.lend(most), recent: [EMPTY; CACHE], list: map.lend(most), known: 0, lender }
    }

    /// The cells of granule `granule`.
    #[inline(always)]
    pub(super) fn granule(&mut self, granule: usize) -> Result<&mut Granule, Full> {
        let page = granule / GRANULES + 1;
        let recent = &mut self.recent[page % CACHE];
        if recent.page != page {
            *recent = find(self.map, self.list, &mut self.known, &mut self.lender, page)?;
        }
        // SAFETY: a page's pointer is to this many granules, which were lent to this structure alone.
        Ok(unsafe { &mut *recent.cells.add(granule % GRANULES) })
    }

    /// Calls `each` with every granule that has cells, of any execution, and with these.
    pub(super) fn each(&self, mut each: impl FnMut(usize, &Granule)) {
        for &at in &self.list[..self.known] {
            let page = self.map[at as usize];
            // SAFETY: as above; nobody writes to them meanwhile.
            let cells = unsafe { core::slice::from_raw_parts(page.cells, GRANULES) };
            let first = (page.page - 1) * GRANULES;
            cells.iter().enumerate().for_each(|(number, granule)| each(first + number, granule));
        }
    }

    /// How many places [`known`](Self::known) has to look at for all pages from `first` to `last`.
    pub(super) fn span(&self, first: usize, last: usize) -> usize {
        self.map.len().min(last - first + 1)
    }

    /// The page from `first` to `last` at one of the places of [`span`](Self::span), if it has cells.
    pub(super) fn known(&self, first: usize, last: usize, place: usize) -> Option<usize> {
        if last - first < self.map.len() {
            return Some(first + place).filter(|page| self.is_known(page + 1));
        }
        self.map[place].page.checked_sub(1).filter(|page| (first..=last).contains(page))
    }

    fn is_known(&self, page: usize) -> bool {
        let mask = self.map.len() - 1;
        let mut at = home(page) & mask;
        while self.map[at].page != 0 && self.map[at].page != page {
            at = (at + 1) & mask;
        }
        self.map[at].page == page
    }

    /// Makes all cells zero.
    pub(super) fn wipe(&mut self) {
        for page in self.map.iter().filter(|page| page.page != 0) {
            // SAFETY: as above.
            self.lender.wipe(unsafe { core::slice::from_raw_parts_mut(page.cells, GRANULES) });
        }
    }

    /// The lender of the cells.
    pub(super) fn lender(&mut self) -> &mut L {
        &mut self.lender
    }
}

/// Where in the map a page is looked for first.
fn home(page: usize) -> usize {
    page.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32
}

#[cold]
fn find<'m>(
    map: &mut [Page],
    list: &mut [u32],
    known: &mut usize,
    lender: &mut impl Lender<'m>,
    page: usize,
) -> Result<Page, Full> {
    let mask = map.len() - 1;
    let mut at = home(page) & mask;
    while map[at].page != 0 && map[at].page != page {
        at = (at + 1) & mask;
    }
    if map[at].page == 0 {
        if *known >= map.len() / 4 * 3 {
            return Err(Full);
        }
        list[*known] = at as u32;
        *known += 1;
        map[at] = Page { page, cells: lender.lend::<Granule>(GRANULES).as_mut_ptr() };
    }
    Ok(map[at])
}

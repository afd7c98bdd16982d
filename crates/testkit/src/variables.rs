//! The memory of a scripted program.

use std::cell::Cell;

use heddle_model::vain::Vain;
use heddle_model::{Memory, ObjectId, Operation};

use crate::awaits::Condition;
use crate::interpret::VARIABLES;
use crate::outside;

/// The variables of a scripted program. They are cells, because the world reads them while the executor writes them.
pub(crate) struct Variables {
    pub(crate) cells: Vec<Cell<u64>>,
    /// What is known of looks in vain: visible places, sorted.
    pub(crate) vain: Vec<u64>,
    /// A condition of the rule of looks in vain that is left out.
    pub(crate) without: Option<Condition>,
}

impl Variables {
    pub(crate) fn at(&self, object: ObjectId) -> &Cell<u64> {
        let in_area = outside::variable_in_area(object.0).map(|(_, variable)| variable);
        &self.cells[in_area.unwrap_or(((object.0 - VARIABLES) / 4) as usize)]
    }
}

impl Memory for Variables {
    fn compare_fails(&self, operation: &Operation) -> bool {
        self.at(operation.object).get() != operation.argument
    }

    fn knows(&self, number: u64) -> bool {
        Vain::new(&self.vain).has(number)
    }

    fn is_vain(&self, state: u64, look: &Operation) -> bool {
        let known = Vain::new(&self.vain);
        let any = self.without == Some(Condition::Value);
        known.knows(state) && (any || known.is_vain(state, self.at(look.object).get()))
    }
}

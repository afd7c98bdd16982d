//! (being written)
use crate::options::Options;
use crate::search::{Strategy, Ticket};
use heddle_model::{Execution, Plan};
pub(crate) struct Dpor(crate::dfs::Dfs);
impl Dpor {
    pub fn new(_: &Options) -> Self {
        Dpor(Default::default())
    }
    pub fn source(_: &Options) -> Self {
        Dpor(Default::default())
    }
}
impl Strategy for Dpor {
    fn propose(&mut self, plan: &mut Plan) -> Option<Ticket> {
        self.0.propose(plan)
    }
    fn digest(&mut self, t: Ticket, e: &Execution<'_>) {
        self.0.digest(t, e)
    }
    fn pending(&self) -> u64 {
        self.0.pending()
    }
}

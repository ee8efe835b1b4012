//! A shop whose test passes and whose order of events is wrong.
//!
//! The shop hands two jobs to a pool of threads: reserve an item, and mail the confirmation. The pool has one thread here,
//! so the reservation always comes first. Nothing else makes it so: with a second thread a customer can be told about an
//! item that was never set aside. Posetta sees that from this one run:
//!
//! ```console
//! $ cargo run -p posetta-record --example orders > run.jsonl
//! $ posetta check run.jsonl --ltl 'G (mailed <= reserved)'
//! ```
//!
//! The observed order is fine, and the verdict is `violated`. With the argument `fixed` the stock hands on the mail when
//! it is done, and the property holds.

use std::sync::mpsc;
use std::thread;

use posetta_record::{Recorder, Stamp};

/// What the pool does: a job knows what was sent, and by which event.
type Job = Box<dyn FnOnce() + Send>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let fixed = std::env::args().nth(1).is_some_and(|a| a == "fixed");
    let recorder = Recorder::builder().initial("reserved", 0).initial("mailed", 0).to_writer(std::io::stdout());

    let (pool, jobs) = mpsc::channel::<Job>();
    let worker = thread::spawn(move || jobs.into_iter().for_each(|job| job()));

    let shop = recorder.process("shop");
    let (stock, mail) = (recorder.process("stock"), recorder.process("mail"));
    let seller = thread::spawn(move || {
        for order in 1..=3 {
            let sold = shop.send("sell").attr("order", order).stamp();
            let (stock, mail) = (stock.clone(), mail.clone());
            let confirm = move |cause: &Stamp| mail.receive(cause, "confirm").set("mailed", order).record();
            let reserve = move |cause: &Stamp| stock.receive(cause, "reserve").set("reserved", order).stamp();
            if fixed {
                pool.send(Box::new(move || confirm(&reserve(&sold))))?;
            } else {
                let told = sold.clone();
                pool.send(Box::new(move || drop(reserve(&told))))?;
                pool.send(Box::new(move || confirm(&sold)))?;
            }
        }
        Ok::<(), mpsc::SendError<Job>>(())
    });
    seller.join().expect("the seller does not panic")?;
    worker.join().expect("no job panics");
    recorder.finish()?;
    Ok(())
}

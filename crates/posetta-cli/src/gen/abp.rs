//! The alternating-bit protocol: a sender and a receiver over channels that keep the order and lose messages.
//!
//! A tenth of the messages and of the acknowledgements is lost, and a sender that waits sends again in a tenth of its
//! steps. The faulty receiver takes a fifth of the messages for ones with the other bit.
//!
//! A correct run ends when what was sent last has been received: towards the end, nothing is lost and no new message is
//! begun for which the events do not suffice. What is then left over is filled with repeated acknowledgements. Otherwise a
//! message that is still on its way would look like one that was lost.

use std::collections::VecDeque;

use posetta_record::{Process, Stamp, Value};

use super::stage::Stage;

const LOSS: f64 = 0.1;
const RESEND: f64 = 0.1;
const MISTAKEN: f64 = 0.2;

/// The two processes.
pub const PROCESSES: [&str; 2] = ["sender", "receiver"];

/// The variables, all of which start as 0.
pub fn variables() -> Vec<(String, Value<'static>)> {
    ["sent_msg", "received_msg", "sent_ack", "received_ack"].map(|v| (v.to_owned(), Value::from(0))).into()
}

/// Bits on their way, each with its sending.
type Channel = VecDeque<(u8, Stamp)>;

struct Protocol {
    sender: Process,
    receiver: Process,
    to_receiver: Channel,
    to_sender: Channel,
    /// The bit of the message that the sender is at.
    bit: u8,
    /// It was sent, and waits for its acknowledgement.
    waits: bool,
    /// The variables `sent_msg` and `received_msg`.
    sent: u8,
    received: u8,
    /// A message was received and is not acknowledged yet.
    owes: bool,
    faulty: bool,
}

pub fn simulate(stage: &mut Stage, faulty: bool) {
    let mut protocol = Protocol {
        sender: stage.recorder.process(PROCESSES[0]),
        receiver: stage.recorder.process(PROCESSES[1]),
        to_receiver: VecDeque::new(),
        to_sender: VecDeque::new(),
        bit: 0,
        waits: false,
        sent: 0,
        received: 0,
        owes: false,
        faulty,
    };
    while stage.left > 0 {
        // Enough for whatever a step can begin: what is owed, two events for each message on its way, and then to send and
        // receive once more.
        let needed = u64::from(protocol.owes) + 2 * protocol.to_receiver.len() as u64 + 3;
        let happened = if faulty || stage.left > needed { protocol.step(stage) } else { protocol.settle() };
        if happened {
            stage.count();
        }
    }
}

impl Protocol {
    /// Something that can happen, or nothing if it is the turn of one who has nothing to do.
    fn step(&mut self, stage: &mut Stage) -> bool {
        let dice = &mut stage.dice;
        if dice.chance(0.5) {
            if !self.waits || dice.chance(RESEND) {
                self.send(dice.chance(LOSS));
                return true;
            }
            return self.take_acknowledgement();
        }
        if self.owes {
            self.acknowledge(dice.chance(LOSS));
            return true;
        }
        let mistaken = self.faulty && !self.to_receiver.is_empty() && dice.chance(MISTAKEN);
        self.receive(mistaken)
    }

    /// Brings what was sent to the receiver; then does what changes nothing.
    fn settle(&mut self) -> bool {
        if self.owes {
            self.acknowledge(true);
        } else if !self.receive(false) {
            // Nothing is on its way. Either what was sent last was lost, or it was received and may be acknowledged again.
            if self.received != self.sent || self.receiver.last().is_none() {
                self.send(false);
            } else {
                self.acknowledge(true);
            }
        }
        true
    }

    fn send(&mut self, lost: bool) {
        let stamp = self.sender.send("").set("sent_msg", self.bit).stamp();
        if !lost {
            self.to_receiver.push_back((self.bit, stamp));
        }
        self.sent = self.bit;
        self.waits = true;
    }

    fn take_acknowledgement(&mut self) -> bool {
        let Some((bit, stamp)) = self.to_sender.pop_front() else { return false };
        self.sender.receive(&stamp, "").set("received_ack", bit).record();
        if bit == self.bit {
            self.bit ^= 1;
            self.waits = false;
        }
        true
    }

    fn receive(&mut self, mistaken: bool) -> bool {
        let Some((bit, stamp)) = self.to_receiver.pop_front() else { return false };
        let bit = bit ^ u8::from(mistaken);
        self.receiver.receive(&stamp, "").set("received_msg", bit).record();
        self.received = bit;
        self.owes = true;
        true
    }

    fn acknowledge(&mut self, lost: bool) {
        let stamp = self.receiver.send("").set("sent_ack", self.received).stamp();
        if !lost {
            self.to_sender.push_back((self.received, stamp));
        }
        self.owes = false;
    }
}

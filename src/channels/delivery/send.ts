// One attempt at one delivery, by the type of its channel.

import { previousSecret } from "../rotation.ts";
import { TYPES } from "../types/table.ts";
import type { SenderPorts } from "../types/type.ts";
import type { Attempt } from "./attempt.ts";
import type { LeasedDelivery } from "./outbox.ts";

/** Attempts a delivery once. It never rejects. */
export type Sender = (taken: LeasedDelivery) => Promise<Attempt>;

/** Makes a sender for all types of channels. */
export function createSender(ports: SenderPorts): Sender {
  return ({ channel, delivery: { id, body } }) => {
    const { type, config, name } = channel;
    return TYPES[type].send(ports, { config, previousSecret: previousSecret(channel, ports.now()), name, id, body });
  };
}

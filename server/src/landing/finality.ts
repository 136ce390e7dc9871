import { ask, endOf, type Rpc, statusesOf, wholeIn } from '../chain/index.js';

/**
 * Why a transaction that has landed must not be relied on for good yet; undefined where it is final. The first node
 * must say that it is finalized; each other one that answers must not say otherwise, unless its history begins later.
 * @throws ChainUnavailable if the first node does not answer
 */
export async function whyNotFinal([first, ...others]: readonly Rpc[], signature: string): Promise<string | undefined> {
  const opinions = others.map((rpc) => opinionOf(rpc, signature).catch(() => undefined));
  const status = await statusOf(first!, signature);
  const why = objectionTo(first!, status);
  if (why !== undefined) return why;
  for (const [i, opinion] of (await Promise.all(opinions)).entries()) {
    const rpc = others[i]!;
    if (opinion === undefined) continue;
    const objection = objectionTo(rpc, opinion.status);
    const isForgotten = opinion.status === undefined && opinion.since > status!.slot;
    if (objection !== undefined && !isForgotten) return objection;
  }
  return undefined;
}

type Status = Awaited<ReturnType<typeof statusOf>>;

/** Undefined where the node does not have this very transaction: its status may be that of another one. */
async function statusOf(rpc: Rpc, signature: string) {
  const { found } = await statusesOf(rpc, [signature], true);
  const status = found[0];
  if (!status?.finalized) return status;
  const end = await endOf(rpc, signature, 'finalized');
  return end === 'untold' ? status : end && { ...status, ...end };
}

/** `since`: the first slot of the node's history. */
async function opinionOf(rpc: Rpc, signature: string): Promise<{ status: Status; since: bigint }> {
  const status = await statusOf(rpc, signature);
  const since = status ? 0n : await ask(rpc, 'getFirstAvailableBlock', [], (slot: number) => wholeIn(slot));
  return { status, since };
}

function objectionTo({ name }: Rpc, status: Status): string | undefined {
  if (!status) return `${name} does not know its payment`;
  if (status.err !== null) return `its payment has failed, says ${name}`;
  return status.finalized ? undefined : `${name} does not call its payment finalized yet; try again in half a minute`;
}

import { readFilter } from '../../events/filter.js';
import { deliveryOf } from '../../events/messages.js';
import { type EventRow, eventsAfter } from '../../store/events.js';
import { dueDeliveries, releaseWebhook } from '../../store/webhook-deliveries.js';
import type { Webhook } from '../../store/webhooks.js';
import type { GiveUpOld } from './give-up-old.js';
import { createGroups } from './sends-at-once.js';
import { type Attempted, type Attempting, attempt, LONGEST_MS, noteGap } from './webhook-attempts.js';

/** A webhook that a whole page waits for is behind. */
const PAGE = 50;
/** Then others have their turn. */
const MOST_IN_A_TURN = 200;
const TURN_MS = 10_000;
/**
 * For what is tried again, however much of a turn the list has taken: one that is always behind would never come to it. `refused`: of
 * what was tried again before, which may be refused for good.
 */
const AGAIN = { most: PAGE, refused: 5, ms: 2_000 };

export interface Serving extends Attempting {
  giveUpOld: GiveUpOld;
}

interface Turn extends Attempted {
  /** How many more may be sent, and until when, in steady milliseconds. */
  left: number;
  until: number;
  isClosing: () => boolean;
}

/**
 * Sends what waits for one webhook, until nothing does, the receiver is away, or the turn is over. What it has not taken comes last: it
 * may refuse that for good.
 */
export async function serve(deps: Serving, webhook: Webhook, holder: string, isClosing: () => boolean): Promise<void> {
  const until = deps.steadyNow() + TURN_MS;
  const turn: Turn = { webhook, holder, last: webhook.last, left: MOST_IN_A_TURN, until, isClosing };
  // Where it rests, it has its turn only for what is new.
  const rests = (webhook.restUntil?.getTime() ?? 0) > deps.clock.now();
  if ((await sendList(deps, turn)) && !rests) await sendAgain(deps, turn);
  await releaseWebhook(deps.store, webhook.id, holder, turn.last);
}

const isOver = ({ steadyNow }: Serving, { left, until, isClosing }: Turn) =>
  left <= 0 || isClosing() || steadyNow() >= until;

/** Sends what has not been tried. False where nothing at all is to be sent in this turn any more. */
async function sendList(deps: Serving, turn: Turn): Promise<boolean> {
  const { store, clock, steadyNow } = deps;
  const { webhook, holder, isClosing } = turn;
  const { wants } = readFilter({ kinds: webhook.kinds ?? undefined, wallet: webhook.wallet ?? undefined });
  const isOld = ({ toldAt }: EventRow) => clock.now() - toldAt.getTime() >= LONGEST_MS;
  const inGroups = createGroups(deps.sends, steadyNow, webhook);
  while (!isOver(deps, turn)) {
    const page = await eventsAfter(store, [{ account: webhook.account, after: turn.last }], PAGE);
    if (page[0] && page[0].number > turn.last + 1n)
      await noteGap(deps, webhook.id, turn.last + 1n, page[0].number - 1n);
    const waiting = page.filter(wants);
    while (waiting.length > 0) {
      if (isOver(deps, turn)) return true;
      // The first failure of what is a day old gives all of that up: none is to come by several at a time.
      const most = page.length < PAGE || isOld(waiting[0]!) ? 1 : Math.min(waiting.length, turn.left);
      const [group, result] = await inGroups(most, async (count) => {
        const group = waiting.splice(0, count);
        turn.last = group.at(-1)!.number;
        return [group, await attempt(deps, turn, group.map(deliveryOf))];
      });
      turn.left -= group.length;
      if (result === 'taken') continue;
      if (isOld(group[0]!) && group.length === 1) {
        turn.last = await deps.giveUpOld({ webhook, holder, wants, isOld, isClosing }, turn.last);
        return false;
      }
      if (result === 'stop') return false;
    }
    turn.last = page.at(-1)?.number ?? turn.last;
    if (page.length < PAGE) break;
  }
  return true;
}

/** Sends again what has failed before: each once, and of what has failed again some. */
async function sendAgain(deps: Serving, turn: Turn): Promise<void> {
  const { store, clock, steadyNow } = deps;
  turn.left = AGAIN.most;
  turn.until = steadyNow() + AGAIN.ms;
  let refused = 0;
  for (const delivery of await dueDeliveries(store, turn.webhook.id, new Date(clock.now()), AGAIN.most)) {
    if (isOver(deps, turn) || refused === AGAIN.refused) return;
    const result = await attempt(deps, turn, [delivery], { isAgain: true });
    turn.left -= 1;
    if (result === 'stop') return;
    if (result === 'refused' && delivery.tries > 1) refused += 1;
  }
}

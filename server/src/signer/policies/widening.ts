import { MOST_AUTOMATIC_BPS } from '../../lib/automatic-slippage.js';

/** The terms of an order that decide when it fires, and for how little. */
export interface PriceTerms {
  triggerPriceUsd: number | null;
  trailingBps: number | null;
  tpPriceUsd: number | null;
  slPriceUsd: number | null;
  /** Null: automatic. */
  slippageBps: number | null;
  tpSlippageBps: number | null;
  slSlippageBps: number | null;
}

type Term = keyof PriceTerms;

/** What a leg accepts, and what makes it fire. */
const LEGS: readonly { slippage: Term; triggers: readonly Term[] }[] = [
  { slippage: 'slippageBps', triggers: ['triggerPriceUsd', 'trailingBps'] },
  { slippage: 'tpSlippageBps', triggers: ['tpPriceUsd'] },
  { slippage: 'slSlippageBps', triggers: ['slPriceUsd'] },
];

/**
 * The terms of an edit that could give away more of the order than `mostBps` of it, and that its owner had not accepted:
 * slippage that is raised beyond that, and a trigger that is moved where the leg accepts more. However little a trigger
 * moves: one beside the price fires as surely as one across it. Automatic slippage counts as the most that it may become.
 */
export function termsThatWiden(before: PriceTerms, after: PriceTerms, mostBps: number): Term[] {
  return LEGS.flatMap(({ slippage, triggers }) => {
    const accepted = after[slippage] ?? MOST_AUTOMATIC_BPS;
    if (accepted <= mostBps) return [];
    const raised = after[slippage] !== before[slippage] && accepted > (before[slippage] ?? 0) ? [slippage] : [];
    return [...raised, ...triggers.filter((term) => after[term] !== before[term])];
  });
}

/** All terms of an order. */
type AllTerms = PriceTerms & { triggerCondition: string | null; expiresAt: Date };

/**
 * What the owner of an order signs for such an edit, and when: all of its terms as they were and will be. Also those that stay,
 * so that it holds for no order of which somebody has moved another term meanwhile.
 */
export function wideningText(
  order: { id: string; host: string; signedAt: Date },
  before: AllTerms,
  after: AllTerms,
): string {
  const terms = [
    'triggerCondition',
    ...LEGS.flatMap(({ slippage, triggers }) => [...triggers, slippage]),
    'expiresAt',
  ] as const;
  const shown = (value: string | number | Date | null) =>
    value instanceof Date ? value.toISOString() : (value ?? 'automatic');
  const lines = terms
    .filter((term) => before[term] !== null || after[term] !== null)
    .map((term) => [term, shown(before[term]), shown(after[term])] as const)
    .map(([term, from, to]) => (from === to ? `${term}: ${to}, as before` : `${term}: ${from} -> ${to}`));
  return [
    `Change my order ${order.id} at ${order.host}, which may then be filled for much less:`,
    ...lines,
    `Signed at ${order.signedAt.toISOString()}.`,
  ].join('\n');
}

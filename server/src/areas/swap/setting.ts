import { randomInt } from 'node:crypto';
import { type Address, holdsSol } from '@slipway/wire';
import { aroundTrade, type Place, partiesOf, temporaryWrappedSol, type Untraded } from '../../crafting/swap.js';
import type { Surroundings, SwapParties, Token } from '../../routing/router.js';
import type { SwapDeps } from './deps.js';
import type { Order, Terms } from './swap-order.js';

/** Who pays for a swap, and where both of its sides are held. */
export interface Setting {
  input: Place;
  output: Place;
  parties: Omit<SwapParties, 'minOut'>;
}

/** `hasNativeSol`: the router takes and gives SOL of wallets. */
export function settingOf(
  { gasWallet }: Pick<SwapDeps, 'gasWallet'>,
  { wallets, requestId }: Pick<Order, 'wallets' | 'requestId'>,
  terms: Terms,
  hasNativeSol: boolean,
): Setting {
  const { taker, receiver } = wallets;
  const place = (account: Address | undefined): Place => {
    if (account !== undefined) return { kind: 'token', account };
    return hasNativeSol ? { kind: 'sol' } : temporaryWrappedSol(taker, requestId.replaceAll('-', ''));
  };
  const input = place(wallets.source?.account);
  const output = place(wallets.destination?.account);
  const payer = wallets.payer ?? (terms.gasless ? gasWallet : taker);
  return {
    input,
    output,
    parties: {
      owner: taker,
      ...(input.kind !== 'sol' && { source: input.account }),
      ...(output.kind !== 'sol' && { destination: output.account }),
      receiver: output.kind === 'wrapped' ? taker : receiver,
      feePayer: payer,
      rentPayer: payer,
      absentSigners: new Set(terms.gasless ? [] : [gasWallet]),
      ...(terms.bps > 0 && terms.account && { feeAccount: terms.account }),
    },
  };
}

/** Amounts that only a quote tells. */
interface Quoted {
  least: bigint;
  feeAmount: bigint;
}

/** The swap, but for its trade. */
export function untradedOf(
  { tipAccounts }: Pick<SwapDeps, 'tipAccounts'>,
  { asked, wallets, input, output }: Order,
  terms: Terms,
  setting: Setting,
  { least, feeAmount }: Quoted,
): Untraded {
  const { taker, receiver, destination } = wallets;
  const { feePayer, rentPayer } = setting.parties;
  const side = ({ mint, tokenProgram }: Token, place: Place) => ({ mint, tokenProgram, place });
  const create = destination !== undefined && !destination.exists;
  // Of SOL, whoever may close an account gets all that is in it.
  const isGuarded = create && receiver === taker && !holdsSol(output.mint);
  const closeAuthority = isGuarded ? asked.closeAuthority : undefined;
  const tipAccount = asked.manual?.tipLamports && tipAccounts[randomInt(Math.max(1, tipAccounts.length))];
  return {
    taker,
    receiver,
    feePayer,
    rentPayer,
    input: { ...side(input, setting.input), amount: asked.amount },
    output: { ...side(output, setting.output), least, create },
    ...(terms.bps > 0 &&
      terms.account && { fee: { account: terms.account, side: terms.side, bps: terms.bps, amount: feeAmount } }),
    ...(closeAuthority && { closeAuthority }),
    ...(tipAccount && { tip: { account: tipAccount, lamports: asked.manual?.tipLamports ?? 0n } }),
  };
}

/**
 * What a route of an order must fit into a transaction with. Amounts change nothing of that, and are the least: the taker
 * may have asked for one that, with the rent beside it, no instruction can hold.
 */
export function surroundingsOf(deps: SwapDeps, order: Order, terms: Terms): Surroundings {
  const setting = settingOf(deps, order, terms, false);
  const { absentSigners: _, ...parties } = setting.parties;
  const least: Order = { ...order, asked: { ...order.asked, amount: 1n } };
  const untraded = untradedOf(deps, least, terms, setting, { least: 1n, feeAmount: 1n });
  return { ...parties, instructions: aroundTrade(untraded), inFull: partiesOf(untraded) };
}

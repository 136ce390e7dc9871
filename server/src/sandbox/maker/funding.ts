import { type Address, associatedTokenAddress, decodeTokenAccount } from '@slipway/wire';
import type { Chain } from '../../chain/index.js';
import type { Token } from '../../routing/router.js';

const LAMPORTS_FOR_FEES = 100_000_000_000n;
const STOCK = 10_000_000n;
/** Topped up when less than one part in this many is left. */
const LOW = 10n;

/** Gives the sandbox's maker SOL for fees and ten million of each token, wherever less than a tenth of it is left. */
export async function fundMaker(chain: Pick<Chain, 'account' | 'rpc'>, maker: Address, tokens: readonly Token[]) {
  const lamports = (await chain.account(maker))?.lamports ?? 0n;
  if (lamports < LAMPORTS_FOR_FEES / LOW) {
    await chain.rpc.call('requestAirdrop', [maker, Number(LAMPORTS_FOR_FEES)]);
  }
  for (const { mint, tokenProgram, decimals } of tokens) {
    const account = await chain.account(associatedTokenAddress(maker, mint, tokenProgram));
    const held = (account && decodeTokenAccount(account.data)?.amount) ?? 0n;
    const full = STOCK * 10n ** BigInt(decimals);
    if (held < full / LOW) await chain.rpc.call('localnet_airdropToken', [maker, mint, (full - held).toString()]);
  }
}

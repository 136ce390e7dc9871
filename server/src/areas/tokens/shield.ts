import { type Address, CLOCK_SYSVAR } from '@slipway/wire';
import {
  type Chain,
  ChainUnavailable,
  type MintExtensions,
  type MintInfo,
  mintFacts,
  readMintExtensions,
} from '../../chain/index.js';
import { calledBy } from '../../landing/index.js';
import { decimalString } from '../../lib/decimal.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { approvedTokens } from '../../store/verifications.js';
import { type TokensDeps, tags, tokensRoute } from './deps.js';
import { listedMints } from './mint-list.js';
import { ShieldAnswer, ShieldQuery, type Warning } from './schema.js';

type TransferFee = NonNullable<MintExtensions['transferFee']>;

export function registerShield(app: TypedServer, deps: TokensDeps): void {
  app.get(
    '/ultra/v1/shield',
    {
      config: tokensRoute,
      schema: {
        tags,
        summary: 'What a buyer of these mints should know',
        description: 'Warnings about each mint, from the chain and from what the operator has verified.',
        querystring: ShieldQuery,
        response: { 200: ShieldAnswer },
      },
    },
    (request) => shield(calledBy(deps, request), request.query),
  );
}

/** What a buyer of each mint should know, from the chain, the operator's token list and the approved verifications. */
export async function shield({ chain, tokens, store }: TokensDeps, query: ShieldQuery): Promise<ShieldAnswer> {
  const mints = listedMints('mints', query.mints);
  const [approved, ...found] = await Promise.all([
    approvedTokens(store, mints),
    ...mints.map((mint) => ofChain(chain, mint)),
  ]);
  const isVerified = (mint: Address) => tokens.has(mint) || approved.has(mint);
  const all = mints.map((mint, index): Warning[] => [...verified(isVerified(mint)), ...found[index]!]);
  return { warnings: Object.fromEntries(mints.map((mint, index) => [mint, all[index]!])) };
}

const verified = (isVerified: boolean): Warning[] =>
  isVerified ? [] : [warning('NOT_VERIFIED', 'info', "The operator has not verified it: compare the mint's address")];

async function ofChain(chain: Chain, mint: Address): Promise<Warning[]> {
  const account = await chain.account(mint);
  const facts = mintFacts(account);
  const extensions = account && readMintExtensions(account.data);
  if (!facts || !extensions) return [warning('NOT_SELLABLE', 'critical', 'There is no token at this address')];
  const { transferFee } = extensions;
  return [
    ...freezing(facts, extensions),
    ...(facts.mintAuthority ? [warning('HAS_MINT_AUTHORITY', 'info', 'Its mint authority can issue more of it')] : []),
    ...ofTransfers(extensions),
    ...(transferFee ? ofFee(transferFee, await epoch(chain)) : []),
  ];
}

/** The power to keep an account from selling, told once. */
function freezing({ freezeAuthority }: MintInfo, extensions: MintExtensions): Warning[] {
  const { defaultFrozen, pauseAuthority, transferHook, hookAuthority } = extensions;
  const tell = (severity: Warning['severity'], message: string) => [warning('HAS_FREEZE_AUTHORITY', severity, message)];
  if (defaultFrozen) return tell('critical', 'A new token account is frozen until the freeze authority thaws it');
  const then = 'which then cannot be sold';
  if (pauseAuthority) return tell('warning', `An authority can stop all transfers of it, ${then}`);
  if (freezeAuthority) return tell('warning', `Its freeze authority can freeze any account, ${then}`);
  if (!hookAuthority || transferHook) return [];
  return tell('warning', 'An authority can have each transfer of it run a program, which can refuse it');
}

function ofTransfers({ permanentDelegate, nonTransferable, transferHook, paused }: MintExtensions): Warning[] {
  const warnings: Warning[] = [];
  if (permanentDelegate) {
    const message = 'A permanent delegate can move or burn it out of any account';
    warnings.push(warning('HAS_PERMANENT_DELEGATE', 'critical', message));
  }
  if (nonTransferable) warnings.push(warning('NON_TRANSFERABLE', 'critical', 'It cannot be transferred'));
  if (paused) warnings.push(warning('NOT_SELLABLE', 'critical', 'All transfers of it are stopped at the moment'));
  if (transferHook) {
    const message = `Each transfer runs the program ${transferHook}, which can refuse it`;
    warnings.push(warning('NOT_SELLABLE', 'warning', message));
  }
  return warnings;
}

function ofFee({ authority, olderBps, newer }: TransferFee, now: bigint): Warning[] {
  const isNewer = now >= newer.epoch;
  const warnings: Warning[] = [];
  const tell = (bps: number, when: string) => {
    const percent = decimalString(BigInt(bps), 2);
    if (bps === 0) return;
    warnings.push(
      warning(`${percent}%_TRANSFER_FEES`, 'warning', `${when}${percent} % of each transfer is kept as a fee`),
    );
  };
  tell(isNewer ? newer.bps : olderBps, '');
  // Whoever has set it may have given up the right to change it since.
  if (!isNewer && newer.bps !== olderBps) tell(newer.bps, `From epoch ${newer.epoch} on, `);
  if (authority) {
    warnings.push(warning('MUTABLE_TRANSFER_FEES', 'warning', 'An authority can change the fee of transfers'));
  }
  return warnings;
}

async function epoch(chain: Chain): Promise<bigint> {
  const clock = await chain.account(CLOCK_SYSVAR);
  if (clock?.data.length !== 40) throw new ChainUnavailable('the clock sysvar is not to be read');
  return Buffer.from(clock.data).readBigUInt64LE(16);
}

function warning(type: string, severity: Warning['severity'], message: string): Warning {
  return { type, message, severity };
}

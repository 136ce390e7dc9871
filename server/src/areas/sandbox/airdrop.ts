import { WRAPPED_SOL_MINT } from '@slipway/wire';
import { RpcError } from '../../chain/index.js';
import { AppError, requireAddress, requireAmount } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import type { SandboxDeps } from './deps.js';
import { sandboxRoute, tags } from './deps.js';
import { AirdropAnswer, AirdropBody } from './schema.js';

/** Lamports travel as a JSON number. */
const MAX_LAMPORTS = BigInt(Number.MAX_SAFE_INTEGER);

export function registerAirdrop(app: TypedServer, deps: SandboxDeps): void {
  app.post(
    '/sandbox/airdrop',
    {
      config: { ...sandboxRoute, errors: { 404: 'There is no such mint on the chain' } },
      schema: {
        tags,
        summary: 'Fund a wallet',
        description: 'Gives a wallet SOL, or tokens of any mint of the sandbox. Answered when it is confirmed.',
        body: AirdropBody,
        response: { 200: AirdropAnswer },
      },
    },
    ({ body }) => airdrop(deps, body),
  );
}

/** Gives SOL or tokens to a wallet by a real transaction; answers once it is confirmed. */
export async function airdrop({ chain }: SandboxDeps, body: AirdropBody): Promise<AirdropAnswer> {
  const wallet = requireAddress('wallet', body.wallet);
  const mint = requireAddress('mint', body.mint ?? WRAPPED_SOL_MINT);
  const amount = requireAmount('amount', body.amount);
  try {
    if (mint !== WRAPPED_SOL_MINT) {
      if (!(await chain.mint(mint)))
        throw new AppError('NOT_FOUND', { message: 'mint: there is no such mint on the chain' });
      return { signature: await chain.rpc.call<string>('localnet_airdropToken', [wallet, mint, amount.toString()]) };
    }
    if (amount > MAX_LAMPORTS)
      throw new AppError('INVALID_REQUEST', { message: `amount: at most ${MAX_LAMPORTS} lamports at a time` });
    return { signature: await chain.rpc.call<string>('requestAirdrop', [wallet, Number(amount)]) };
  } catch (error) {
    if (error instanceof RpcError)
      throw new AppError('INVALID_REQUEST', { message: `The chain refused the airdrop: ${error.message}` });
    throw error;
  }
}

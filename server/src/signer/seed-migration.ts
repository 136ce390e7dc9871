import { type Address, verify } from '@slipway/wire';
import { orderAccounts } from './order-accounts.js';
import { bytesOfOrder, type SealedOrder } from './order-seal.js';
import { openWithBareKeys, type SignerOptions } from './signer.js';

/** What another seed changes about an order. */
export interface MovedOrder {
  vault: Address;
  inputAccount: Address;
  outputAccount: Address | null;
  seal: Uint8Array;
}

type Opened = Awaited<ReturnType<typeof openWithBareKeys>>['signer'];

/** Two seeds, for the time in which everything moves from one to the other. */
export interface SeedMigration {
  from: Opened;
  to: Opened;
  /**
   * The same order in the vault of the other seed, with its accounts there and a new seal. Undefined for one that the old
   * seed has not sealed as it is: nobody can make it one that was.
   */
  moved(order: SealedOrder & { seal: Uint8Array | null }): Promise<MovedOrder | undefined>;
}

/** Throws like `openSigner`. */
export async function openSeedMigration(from: SignerOptions, to: SignerOptions): Promise<SeedMigration> {
  const [old, next] = [await openWithBareKeys(from), await openWithBareKeys(to)];
  return {
    from: old.signer,
    to: next.signer,
    async moved(order) {
      const isSealed = order.seal !== null && verify(await old.bare.publicKey('seal'), bytesOfOrder(order), order.seal);
      const wallet = order.wallet as Address;
      const [before, vault] = [
        await old.bare.publicKey(`vault:${wallet}`),
        await next.bare.publicKey(`vault:${wallet}`),
      ];
      if (!isSealed || order.vault !== before) return undefined;
      const { depositRequestId } = order;
      const at = (account: string, side: 'in' | 'out'): Address => {
        const place = orderAccounts(before, depositRequestId, [side]).indexOf(account as Address);
        const found = orderAccounts(vault, depositRequestId, [side])[place];
        if (found === undefined) throw new Error(`the order ${order.id} has an account that no order of it can have`);
        return found;
      };
      const inputAccount = at(order.inputAccount, 'in');
      const outputAccount = order.outputAccount === null ? null : at(order.outputAccount, 'out');
      const seal = await next.bare.sign('seal', bytesOfOrder({ ...order, vault, inputAccount, outputAccount }));
      return { vault, inputAccount, outputAccount, seal };
    },
  };
}

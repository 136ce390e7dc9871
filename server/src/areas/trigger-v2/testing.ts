import {
  type Address,
  decodeTransaction,
  encodeTransaction,
  generateKeypair,
  type Keypair,
  sign,
  withSignature,
} from '@slipway/wire';
import { sealed } from '../../landing/index.js';
import { uuidv7 } from '../../lib/ids.js';
import type { Guest } from '../../lib/places.js';
import { CHALLENGE_MS, challengeText, createLoginTokens, type ServiceWords } from '../../signer/index.js';
import { findRequest, insertCrafted } from '../../store/ledger.js';
import { tickOf } from '../../trigger-orders/tick.js';
import { cancelOrder, confirmCancel } from './cancel-order.js';
import { registerCraftDeposit } from './craft-deposit.js';
import { type Charge, createOrder } from './create-order.js';
import type { Login, TriggerV2Deps } from './deps.js';
import { editOrder } from './edit-order.js';
import type { ConfirmBody, DepositAnswer, EditBody, OrderBody } from './schema.js';
import { registerVault } from './vault.js';

/** The terms of an order, without the fields about the depositor and the deposit. */
export type TestTerms = Partial<OrderBody> & Pick<OrderBody, 'inputMint' | 'outputMint' | 'triggerMint' | 'orderType'>;

type Deps = Pick<TriggerV2Deps, 'store' | 'clock' | 'signer' | 'chain' | 'prices' | 'landing'>;

export type Client = ReturnType<typeof createClient>;

/** How texts that wallets sign name the service of a test. */
export const TEST_WORDS: ServiceWords = {
  challengePrefix: () => 'Log in to a test as',
  host: () => 'localhost',
  maxUnsignedSlippageBps: 2_000,
};

/** The use cases of the area as a client calls them, without HTTP and login. */
export function createClient(parts: Deps) {
  const deps: TriggerV2Deps = {
    ...parts,
    logins: createLoginTokens({ ...parts, revokedAt: async () => undefined }),
    ...TEST_WORDS,
    stables: new Set(),
    tick: (mint) => tickOf(parts, mint, undefined),
    whyNothingFills: async () => undefined,
    remember: async (request) => {
      const row = await sealed(parts.signer, request);
      await parts.store.single((tx) => insertCrafted(tx, [row]));
    },
    findRequest: (id) => findRequest(parts.store, id),
  };

  let craftDeposit!: (call: object) => Promise<DepositAnswer>;
  const app = {
    post(_path: string, _options: object, handler: typeof craftDeposit) {
      craftDeposit = handler;
    },
  };
  registerCraftDeposit(app as never, deps);

  const wallets = new Map<Address, Keypair>();
  /** A login of a wallet of this client, or of one whose key is given. */
  async function logIn(wallet: Address, key = wallets.get(wallet)): Promise<Login> {
    const now = parts.clock.now();
    const facts = { wallet, id: uuidv7(parts.clock), expiresAt: new Date(now + CHALLENGE_MS) };
    const challenge = challengeText(TEST_WORDS.challengePrefix(), facts);
    const signature = sign(key!, Buffer.from(challenge));
    return { wallet, token: await deps.logins.issue(wallet, { message: { challenge, signature } }) };
  }

  type By = { apiKey?: { id: string }; payer?: Guest; charge?: Charge };

  /** Crafts and signs a deposit; the order that it pays for. */
  async function bodyFor(wallet: Keypair, amount: bigint, terms: TestTerms, by: By = {}): Promise<OrderBody> {
    const { inputMint, outputMint, orderType } = terms;
    const craft = {
      inputMint,
      outputMint,
      userAddress: wallet.address,
      amount: amount.toString(),
      ...({ orderType: 'price', orderSubType: orderType } as const),
    };
    const { transaction, requestId } = await craftDeposit({ ...by, wallet: wallet.address, body: craft });
    return {
      expiresAt: deps.clock.now() + 3_600_000,
      ...terms,
      userPubkey: wallet.address,
      inputAmount: amount.toString(),
      depositRequestId: requestId,
      depositSignedTx: signed(wallet, transaction),
    };
  }

  const post = async (wallet: Keypair, body: OrderBody, charge: Charge = async () => undefined) =>
    createOrder(deps, await logIn(wallet.address, wallet), body, charge);

  return {
    logIn,

    /** A new wallet with its vault. */
    async register(): Promise<Keypair> {
      const wallet = generateKeypair();
      wallets.set(wallet.address, wallet);
      await registerVault(deps, wallet.address);
      return wallet;
    },

    /** Deposits and creates; the id of the order. `by`: the key of the call, who pays for it, and how further calls are counted. */
    async open(wallet: Keypair, amount: bigint, terms: TestTerms, by: By = {}): Promise<string> {
      const { id } = await post(wallet, await bodyFor(wallet, amount, terms, by), by.charge);
      return id;
    },
    bodyFor,
    post,

    /** Asks for the withdrawal: the unsigned transaction and its request id. */
    cancel: (wallet: Address, id: string) => cancelOrder(deps, wallet, id),
    confirm: (wallet: Address, id: string, body: ConfirmBody) => confirmCancel(deps, wallet, id, body),

    edit: async (wallet: Address, id: string, body: EditBody) => editOrder(deps, await logIn(wallet), id, body),

    /** Ends the order, and lands the withdrawal of everything that it holds. */
    async withdraw(wallet: Keypair, id: string): Promise<void> {
      const { transaction, requestId: cancelRequestId } = await cancelOrder(deps, wallet.address, id);
      const body = { cancelRequestId, signedTransaction: signed(wallet, transaction) };
      await confirmCancel(deps, wallet.address, id, body);
    },
  };
}

export function signed(wallet: Keypair, transaction: string): string {
  const unsigned = decodeTransaction(Buffer.from(transaction, 'base64'));
  const signature = sign(wallet, unsigned.message);
  return Buffer.from(encodeTransaction(withSignature(unsigned, wallet.address, signature))).toString('base64');
}

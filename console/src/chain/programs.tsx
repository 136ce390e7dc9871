import { useQuery } from '@tanstack/react-query';
import { rpc } from '../lib/chain.js';
import { useBook, useInfo } from '../lib/sandbox.js';
import { Panel } from '../ui/parts.js';
import { Trouble } from '../ui/trouble.js';
import { Address } from './transaction.js';

/** What the service does with each program, by the name that it gives it. */
const USES: Readonly<Record<string, string>> = {
  pool: 'Pools that swaps are routed over',
  router: 'Swaps over several pools, all or nothing',
  'order-engine': 'Swaps with a market maker',
  'limit-order': 'Limit orders',
  'invite-escrow': 'Invites, until they are claimed',
  'bonding-curve': 'Launched tokens, until their curve is sold out',
  'damm-v2': 'The pools that launches move to',
  locker: 'Locked tokens of launches',
  'token-metadata': 'Names and pictures of tokens',
};
const NATIVE = 'NativeLoader1111111111111111111111111111111';
/** Of the account with a program's code, what stands before the code: its kind, slot and authority. */
const HEAD = { kind: 4, slot: 8, hasAuthority: 1, authority: 32 };
const HEAD_BYTES = HEAD.kind + HEAD.slot + HEAD.hasAuthority + HEAD.authority;

interface Deployed {
  slot: bigint;
  /** Undefined where nobody can change the program. */
  authority: string | undefined;
  /** Of the code. */
  bytes: number;
}

/** Which programs the service works with. */
export function Programs() {
  const { programs } = useInfo();
  const book = useBook();
  return (
    <Panel title="Programs">
      <ul className="grid gap-2 px-4 py-3 text-sm">
        {programs.map(({ address, name }) => (
          <li key={address}>
            <Address address={address} book={book} />
            <span className="block text-soft text-xs">{USES[name]}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** What a program is for, who may change it, and since when it is as it is. */
export function ProgramFacts({ address, loader, code }: { address: string; loader: string; code: string | undefined }) {
  const { rpcUrl, programs } = useInfo();
  const book = useBook();
  const { data, error } = useQuery({
    queryKey: ['program', code],
    queryFn: () => readDeployed(rpcUrl, code!),
    enabled: code !== undefined,
  });
  const ours = programs.find((each) => each.address === address);
  const use = ours && USES[ours.name];
  return (
    <Panel title="The program">
      <dl className="grid grid-cols-[9rem_1fr] gap-x-3 gap-y-1 px-4 py-3 text-sm">
        {use && <Fact name="Here for" value={use} />}
        {ours?.standIn && <Fact name="Stand-in" value="Our version of another company’s program" />}
        <Fact
          name="Loader"
          value={loader === NATIVE ? 'part of every node' : <Address address={loader} book={book} />}
        />
        {code !== undefined && (
          <>
            <Fact name="Code in" value={<Address address={code} book={book} />} />
            <Fact name="Size" value={data ? `${data.bytes.toLocaleString('en-US')} bytes` : '…'} />
            <Fact name="Deployed in slot" value={data ? data.slot.toLocaleString('en-US') : '…'} />
            <Fact name="Can be changed by" value={data ? authorityOf(data, book) : '…'} />
          </>
        )}
      </dl>
      {error && <Trouble error={error} />}
    </Panel>
  );
}

const authorityOf = ({ authority }: Deployed, book: ReturnType<typeof useBook>) =>
  authority === undefined ? 'nobody' : <Address address={authority} book={book} />;

function Fact({ name, value }: { name: string; value: React.ReactNode }) {
  return (
    <>
      <dt className="text-soft">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{value}</dd>
    </>
  );
}

/** Without the code, which is hundreds of kilobytes. */
async function readDeployed(rpcUrl: string, code: string): Promise<Deployed> {
  const dataSlice = { offset: 0, length: HEAD_BYTES };
  const [{ value }] = await rpc<[{ value: { data: [string, string]; space: number } | null }]>(rpcUrl, [
    ['getAccountInfo', [code, { encoding: 'base64', dataSlice }]],
  ]);
  if (value === null) throw new Error('The account with its code is gone: the program was closed.');
  const head = Uint8Array.from(atob(value.data[0]), (char) => char.charCodeAt(0));
  const slot = new DataView(head.buffer).getBigUint64(HEAD.kind, true);
  const at = HEAD.kind + HEAD.slot;
  const { base58Encode } = await import('@slipway/wire/formats');
  const authority = head[at] === 1 ? base58Encode(head.slice(at + HEAD.hasAuthority, HEAD_BYTES)) : undefined;
  return { slot, authority, bytes: value.space - HEAD_BYTES };
}

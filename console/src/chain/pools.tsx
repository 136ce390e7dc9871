import type { Answer, Client } from '@slipway/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Book } from '../lib/describe.js';
import { amountText, percent, plainName, short } from '../lib/format.js';
import { OUTDATED_MS, useLive } from '../lib/live.js';
import { useBook } from '../lib/sandbox.js';
import { Panel, Scroll } from '../ui/parts.js';
import { Trouble } from '../ui/trouble.js';
import { Waiting } from '../ui/waiting.js';
import { Address } from './transaction.js';

type Pool = Answer<'get', '/sandbox/pools'>['pools'][number];
type Token = Pool['tokens'][number];
type Named = Pick<Token, 'mint' | 'symbol'>;

const MOST = 100;

/** What swaps are routed over now: of one token, or all. Read again whenever something lands. */
export function usePools(client: Client, token?: string) {
  const { count } = useLive();
  return useQuery({
    queryKey: ['pools', token, count],
    gcTime: OUTDATED_MS,
    queryFn: ({ signal }) =>
      client.api.get('/sandbox/pools', { query: { limit: MOST, ...(token !== undefined && { token }) }, signal }),
    placeholderData: (last, query) => (query?.queryKey[1] === token ? last : undefined),
    // One that has just been made is found any moment.
    refetchInterval: ({ state }) => (state.data?.count === 0 ? 2_000 : 10_000),
  });
}

/** Pools with what can be traded, the deepest first. */
export function Pools({ client, token }: { client: Client; token?: string }) {
  const book = useBook();
  const { data, error } = usePools(client, token);
  return (
    <Panel title="Pools" aside={data && <span className="label">{said(data)}</span>}>
      {error && <Trouble error={error} />}
      {/* All of them stand above other things, which must not jump when they come. */}
      <Scroll name="Pools" className={token === undefined ? 'h-[26rem]' : 'max-h-[34rem] min-h-40'}>
        {!data && !error && <Waiting className="p-4" />}
        {data?.pools.length === 0 && (
          <p className="p-4 text-soft text-sm">None yet: pools are found within a minute of being made.</p>
        )}
        {data && data.pools.length > 0 && (
          <table className="w-full text-sm">
            <thead>
              <tr className="text-soft">
                {['Pair', 'Price', 'Can be traded', 'Venue', 'Fee'].map((heading) => (
                  <th
                    key={heading}
                    scope="col"
                    className={`px-2 py-2 first:pl-4 last:pr-4 sm:px-4 text-left font-normal ${where(heading)}`}
                  >
                    {heading}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {data.pools.map((pool) => (
                <Row key={pool.address} pool={pool} book={book} />
              ))}
            </tbody>
          </table>
        )}
      </Scroll>
    </Panel>
  );
}

const said = ({ count, pools }: { count: number; pools: readonly Pool[] }): string =>
  pools.length < count ? `the deepest ${pools.length} of ${count} followed` : `${count} followed`;

/** On a narrow screen, these stand below the pair. */
const WIDE_ONLY = 'max-sm:hidden';
const where = (heading: string) => (['Price', 'Venue', 'Fee'].includes(heading) ? WIDE_ONLY : '');

function Row({ pool, book }: { pool: Pool; book: Book }) {
  const { address, venue, tokens, refusal, feePercent } = pool;
  return (
    <tr className="border-line border-t align-top">
      <th scope="row" className="whitespace-nowrap px-2 py-2 first:pl-4 last:pr-4 sm:px-4 text-left font-semibold">
        <Link to="/chain/$of" params={{ of: address }} title={address} className="text-accent underline">
          <bdi>{pairOf(pool, book)}</bdi>
        </Link>
        <span className="block font-normal text-soft sm:hidden">
          {priceOf(pool)}
          <span className="block">
            {venue}, {feeOf(feePercent)}
          </span>
        </span>
      </th>
      <td className={`whitespace-nowrap px-2 py-2 first:pl-4 last:pr-4 sm:px-4 ${WIDE_ONLY}`}>{priceOf(pool)}</td>
      <td className="px-2 py-2 first:pl-4 last:pr-4 sm:px-4">
        {refusal === null ? (
          tokens.map((token) => (
            <span key={token.mint} className="block whitespace-nowrap">
              {reserveOf(token)} <bdi>{nameOf(token, book)}</bdi>
            </span>
          ))
        ) : (
          <span className="text-warn">{plainName(refusal, 200)}</span>
        )}
      </td>
      <td className={`px-2 py-2 first:pl-4 last:pr-4 sm:px-4 ${WIDE_ONLY}`}>{venue}</td>
      <td className={`whitespace-nowrap px-2 py-2 first:pl-4 last:pr-4 sm:px-4 ${WIDE_ONLY}`}>{feeOf(feePercent)}</td>
    </tr>
  );
}

/** What a pool says of itself; nothing where the address is none that is followed. */
export function PoolFacts({ client, address }: { client: Client; address: string }) {
  const book = useBook();
  const { data } = usePools(client);
  const pool = data?.pools.find((each) => each.address === address);
  if (pool === undefined) return null;
  const { venue, tokens, price, feePercent, refusal } = pool;
  const [first, second] = tokens.map((token) => nameOf(token, book));
  return (
    <Panel title={`Pool of ${pairOf(pool, book)}`} aside={<span className="label">{venue}</span>}>
      <dl className="grid grid-cols-[9rem_1fr] gap-x-3 gap-y-2 px-4 py-3 text-sm leading-6">
        {tokens.map((token) => (
          <Fact key={token.mint} name={<Address address={token.mint} book={book} />}>
            {reserveOf(token)} <bdi>{nameOf(token, book)}</bdi>
          </Fact>
        ))}
        {price !== null && price > 0 && (
          <>
            <Fact name={`1 ${first}`}>
              {digits(price)} <bdi>{second}</bdi>
            </Fact>
            <Fact name={`1 ${second}`}>
              {digits(1 / price)} <bdi>{first}</bdi>
            </Fact>
          </>
        )}
        <Fact name="Fee of a trade">{feeOf(feePercent)}</Fact>
        {refusal !== null && <Fact name="Not traded">{plainName(refusal, 200)}</Fact>}
      </dl>
    </Panel>
  );
}

function Fact({ name, children }: { name: React.ReactNode; children: React.ReactNode }) {
  return (
    <>
      <dt className="truncate text-soft">{name}</dt>
      <dd className="[overflow-wrap:anywhere]">{children}</dd>
    </>
  );
}

/** A symbol that looks like that of another token, or may, stands with its mint. */
export function nameOf({ mint, symbol }: Named, book: Book): string {
  const known = book.symbols.get(mint);
  if (known !== undefined || symbol === null) return known ?? short(mint);
  const plain = plainName(symbol, 12);
  const isTaken = [...book.symbols.values()].some((each) => each.toUpperCase() === plain.toUpperCase());
  return isTaken || !/^[\x21-\x7e]+$/.test(plain) ? `${plain} ${short(mint)}` : plain;
}

const pairOf = ({ tokens }: Pool, book: Book): string => tokens.map((token) => nameOf(token, book)).join('/');
const digits = (value: number): string => value.toLocaleString('en-US', { maximumSignificantDigits: 6 });
const priceOf = ({ price }: Pool): string => (price === null ? '–' : digits(price));
const feeOf = (feePercent: number | null): string => (feePercent === null ? '–' : percent(feePercent));
const reserveOf = ({ reserve, decimals }: Token): string =>
  reserve === null ? '–' : decimals === null ? reserve : reserveText(BigInt(reserve), decimals);
/** Cents of what is counted in thousands tell nothing, and are broad. */
const reserveText = (reserve: bigint, decimals: number): string =>
  amountText(reserve, decimals, reserve >= 10_000n * 10n ** BigInt(decimals) ? 0 : 2);

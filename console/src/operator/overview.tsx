import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { amountText } from '../lib/format.js';
import { untilLost } from '../lib/patience.js';
import { Panel, Scroll } from '../ui/parts.js';
import { Trouble } from '../ui/trouble.js';
import { Waiting } from '../ui/waiting.js';
import { type History, hoursLeft, shownNow, useHistory } from './history.js';
import { type Drawn, Plot } from './plot.js';

const perSecond = (value: number) => `${round(value)}/s`;
const perMinute = (value: number) => `${round(value)}/min`;
const round = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 2 : 0 });
const duration = (ms: number) => (ms < 1_000 ? `${round(ms)} ms` : `${round(ms / 1_000)} s`);
const seconds = (value: number) => (value < 120 ? `${round(value)} s` : `${round(value / 60)} min`);
const megabytes = (bytes: number) => `${round(bytes / 1e6)} MB`;

interface Chart {
  title: string;
  format: (value: number) => string;
  lines: readonly (readonly [series: string, name: string, colour: Drawn['colour']])[];
}
const CHARTS: readonly Chart[] = [
  {
    title: 'Requests',
    format: perSecond,
    lines: [
      ['requests', 'answered', 'accent'],
      ['refused', 'refused', 'warn'],
      ['errors', 'failed', 'down'],
    ],
  },
  {
    title: 'Time to the answer',
    format: duration,
    lines: [
      ['latency50', 'half within', 'accent'],
      ['latency95', '95 % within', 'warn'],
    ],
  },
  {
    title: 'Transactions',
    format: perMinute,
    lines: [
      ['landed', 'landed', 'accent'],
      ['failed', 'failed', 'down'],
      ['expired', 'expired', 'warn'],
    ],
  },
  {
    title: 'Time to the chain, 95 % within',
    format: duration,
    lines: [
      ['landing95', 'landing', 'accent'],
      ['keeperLag95', 'a fired order', 'warn'],
    ],
  },
  {
    title: 'RPC, 95 % within',
    format: duration,
    lines: [['rpc95', 'answers', 'accent']],
  },
  { title: 'RPC failures', format: perSecond, lines: [['rpcFailures', 'failed or throttled', 'down']] },
  { title: 'Oldest price', format: seconds, lines: [['priceAge', 'age', 'accent']] },
  {
    title: 'Database connections',
    format: round,
    lines: [
      ['databaseUsed', 'in use', 'accent'],
      ['databaseWaiting', 'waiting for one', 'down'],
    ],
  },
  { title: 'Memory', format: megabytes, lines: [['memory', 'resident', 'accent']] },
];

/** Whether all is well, at a glance; and how it went. */
export function Overview() {
  const { data, error } = useHistory();
  const health = useHealth();
  return (
    <>
      <h1 className="mb-3 font-semibold text-lg">Overview</h1>
      {error && <Trouble error={error} />}
      {health.isError ? <Health ready={NO_ANSWER} /> : health.data && <Health ready={health.data} />}
      {/* Not before it is known how many lines the checks above take. */}
      {data && !health.isPending ? <Measured history={data} /> : <Waiting />}
    </>
  );
}

interface Ready {
  status: string;
  checks: Record<string, string>;
}

/** What was well the last time it was asked may be so no longer. */
const NO_ANSWER: Ready = { status: 'no answer', checks: {} };

function useHealth() {
  return useQuery({
    queryKey: ['admin', 'ready'],
    queryFn: async () => (await (await fetch('/readyz', { signal: untilLost() })).json()) as Ready,
    refetchInterval: 5_000,
  });
}

function Health({ ready: { status, checks } }: { ready: Ready }) {
  return (
    <ul aria-label="Health" className="mb-4 grid grid-cols-[repeat(auto-fit,minmax(9rem,1fr))] gap-3">
      <Check name="Service" text={status} isFine={status === 'ready'} />
      {Object.entries(checks).map(([name, text]) => (
        <Check key={name} name={name} text={text} isFine={text === 'ok'} />
      ))}
    </ul>
  );
}

function Check({ name, text, isFine }: { name: string; text: string; isFine: boolean }) {
  return (
    <li className={`panel px-4 py-2.5 ${isFine ? '' : 'border-down bg-down-tint'}`}>
      <span className="flex items-center gap-2 text-soft text-sm">
        <span className={`size-2 rounded-full ${isFine ? 'bg-up' : 'bg-down'}`} />
        <span className="inline-block first-letter:uppercase">{name}</span>
      </span>
      <span className="font-semibold text-sm [overflow-wrap:anywhere]">{text}</span>
    </li>
  );
}

function Measured({ history }: { history: History }) {
  const { times, series } = history;
  const charts = useMemo(
    () =>
      CHARTS.map(({ lines, ...chart }) => ({
        ...chart,
        drawn: lines.map(([of, name, colour]) => ({ name, colour, values: series[of] ?? times.map(() => null) })),
      })),
    [series, times],
  );
  return (
    <>
      <div className="mb-4 grid gap-3 md:grid-cols-2 xl:grid-cols-3">
        {charts.map((chart) => (
          <Plot key={chart.title} times={times} {...chart} />
        ))}
      </div>
      <AsItIs history={history} />
      <p className="mt-4 text-soft text-xs">
        Measured by the copy {history.copy} every {history.everySeconds} s, kept for six hours in its memory. All
        metrics:{' '}
        <a href="/metrics" className="text-accent underline">
          /metrics
        </a>
      </p>
    </>
  );
}

function AsItIs({ history }: { history: History }) {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2 xl:grid-cols-3">
      <Wallets history={history} />
      <Now
        title="Prices"
        history={history}
        name="slipway_price_age_seconds"
        row={({ token, source }) => `${token} · ${source}`}
        format={seconds}
      />
      <Now
        title="RPC"
        history={history}
        name="slipway_rpc_slot"
        row={({ rpc }) => rpc ?? ''}
        format={(n) => `slot ${n}`}
      />
      <Now
        title="Pools followed"
        history={history}
        name="slipway_pools"
        row={({ venue }) => venue ?? ''}
        format={String}
      />
      <Now
        title="Answers of routers"
        history={history}
        name="slipway_router_answers_total"
        row={({ router, outcome }) => `${router} · ${outcome}`}
        format={String}
      />
      <Now
        title="Trigger orders"
        history={history}
        name="slipway_trigger_orders"
        row={({ state }) => state ?? ''}
        format={String}
      />
    </div>
  );
}

function Wallets({ history }: { history: History }) {
  const wallets = shownNow(history, 'slipway_wallet_lamports');
  return (
    <Panel title="Wallets of the service">
      <ul className="grid gap-1 px-4 py-3 text-sm">
        {wallets.map(({ labels: { wallet = '' }, value }) => {
          const hours = hoursLeft(history, `wallet.${wallet}`);
          return (
            <li key={wallet} className="flex flex-wrap justify-between gap-x-3">
              <span>{wallet}</span>
              <span className="text-right">
                {amountText(BigInt(Math.round(value)), 9, 4)} SOL
                <span className="block text-soft text-xs">{lasts(hours)}</span>
              </span>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}

function lasts(hours: number | undefined): string {
  if (hours === undefined) return 'too early to say how long it lasts';
  if (hours === Number.POSITIVE_INFINITY) return 'does not fall';
  if (hours < 48) return `lasts ${round(hours)} h at this pace`;
  return hours > 24 * 365 ? 'lasts more than a year' : `lasts ${round(hours / 24)} days at this pace`;
}

interface NowProps {
  title: string;
  history: History;
  name: string;
  row: (labels: Readonly<Record<string, string>>) => string;
  format: (value: number) => string;
}

function Now({ title, history, name, row, format }: NowProps) {
  const rows = shownNow(history, name);
  return (
    <Panel title={title}>
      <Scroll name={title} className="max-h-64">
        {rows.length === 0 && <p className="px-4 py-3 text-soft text-sm">Nothing yet.</p>}
        <ul className="grid gap-1 px-4 py-3 text-sm empty:hidden">
          {rows.map(({ labels, value }) => (
            <li key={row(labels)} className="flex justify-between gap-3">
              <span className="min-w-0 [overflow-wrap:anywhere]">{row(labels)}</span>
              <span className="whitespace-nowrap">{format(value)}</span>
            </li>
          ))}
        </ul>
      </Scroll>
    </Panel>
  );
}

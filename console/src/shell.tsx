import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useArrival } from './lib/arrival.js';
import { useAttention } from './lib/attention.js';
import {
  connectBrowserWallet,
  leaveBrowserWallet,
  useBrowserAccount,
  useBrowserWallets,
} from './lib/browser-wallets.js';
import { plainName } from './lib/format.js';
import { follow, useLive } from './lib/live.js';
import { lacksKey, type Parts, partsQuery } from './lib/parts.js';
import { infoQuery, usePriceEvents } from './lib/sandbox.js';
import { chooseTheme, useTheme } from './lib/theme.js';
import { chooseWallet, useWalletName } from './lib/wallet.js';
import { signOut, useSession } from './operator/session.js';
import { Icon, type IconName } from './ui/icon.js';
import { Trouble } from './ui/trouble.js';
import { Waiting } from './ui/waiting.js';

interface Page {
  to: '/' | '/swap' | '/orders' | '/launch' | '/send' | '/chain' | '/overview' | '/operate';
  name: string;
  icon: IconName;
  part: keyof Parts;
}
const PAGES: readonly Page[] = [
  { to: '/', name: 'Home', icon: 'home', part: 'sandbox' },
  { to: '/swap', name: 'Swap', icon: 'swap', part: 'sandbox' },
  { to: '/orders', name: 'Orders', icon: 'orders', part: 'sandbox' },
  { to: '/launch', name: 'Launch', icon: 'launch', part: 'sandbox' },
  { to: '/send', name: 'Send', icon: 'send', part: 'sandbox' },
  { to: '/chain', name: 'Chain', icon: 'chain', part: 'sandbox' },
  { to: '/overview', name: 'Overview', icon: 'overview', part: 'operator' },
  { to: '/operate', name: 'Operate', icon: 'operate', part: 'operator' },
];

/** What stands around every screen. */
export function Shell() {
  const { data: parts, failureReason } = useQuery(partsQuery);
  const isOpen = parts?.sandbox === true && !lacksKey(parts);
  useArrival();
  return (
    <div className="mx-auto grid min-h-dvh max-w-[1500px] grid-rows-[auto_1fr] pb-16 md:grid-cols-[11rem_1fr] md:pb-0">
      <a href="#screen" className="absolute -top-20 left-2 z-20 rounded bg-accent px-3 py-2 text-on-accent focus:top-2">
        Skip to the screen
      </a>
      <header className="col-span-full flex h-14 items-center gap-1.5 border-line border-b px-3 sm:gap-3 md:px-5">
        <Link
          to={parts?.sandbox === false ? '/overview' : '/'}
          className="flex items-center gap-2 font-semibold tracking-tight"
        >
          <Icon name="mark" className="size-6 text-accent" />
          Slipway
        </Link>
        {isOpen && <State />}
        <span className="flex-1" />
        {isOpen && <WalletChoice />}
        <Leave />
        <ThemeSwitch />
      </header>
      <Navigation parts={parts} />
      <main id="screen" tabIndex={-1} className="min-w-0 px-3 py-4 outline-none md:px-5">
        {parts ? <Outlet /> : failureReason ? <Trouble error={failureReason} /> : <Waiting />}
      </main>
    </div>
  );
}

function Navigation({ parts }: { parts: Parts | undefined }) {
  const shown = PAGES.filter(({ part }) => parts?.[part]);
  return (
    <nav
      aria-label="Screens"
      className="fixed inset-x-0 bottom-0 z-10 flex border-line border-t bg-ground md:static md:flex-col md:gap-1 md:border-t-0 md:border-r md:bg-transparent md:p-3"
    >
      {shown.map(({ to, name, icon, part }, index) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: to === '/' }}
          activeProps={{ className: 'text-ink bg-tint font-semibold' }}
          inactiveProps={{ className: 'text-soft hover:text-ink' }}
          className={`flex min-h-14 min-w-0 flex-1 flex-col items-center justify-center gap-0.5 rounded px-px text-[0.6rem] tracking-tight md:min-h-10 md:flex-none md:flex-row md:justify-start md:gap-3 md:px-3 md:text-sm md:tracking-normal ${part === 'operator' && shown[index - 1]?.part === 'sandbox' ? 'md:mt-4' : ''}`}
        >
          <Icon name={icon} className="size-5" />
          {name}
        </Link>
      ))}
      <a
        href="/docs"
        className="hidden min-h-10 items-center gap-3 rounded px-3 text-sm text-soft hover:text-ink md:flex"
      >
        <Icon name="book" className="size-5" />
        API reference
      </a>
    </nav>
  );
}

/** Who is logged in as the operator, and the end of that. */
function Leave() {
  const session = useSession();
  if (!session || session.isOver) return null;
  return <LogOut name={session.name} />;
}

function LogOut({ name }: { name: string }) {
  const [problem, setProblem] = useState('');
  const leave = () => {
    setProblem('');
    signOut().catch((error: Error) => setProblem(`Not logged out. ${error.message}`));
  };
  return (
    <div className="relative flex min-w-0 items-center gap-2">
      {problem && (
        <p
          role="alert"
          className="absolute top-full right-0 z-10 mt-1 w-72 rounded border-down border-l-4 bg-down-tint px-3 py-2 text-sm"
        >
          {problem}
        </p>
      )}
      <span className="truncate text-sm max-sm:sr-only" title={`Logged in as ${name}`}>
        {name}
      </span>
      <button
        type="button"
        onClick={leave}
        className="min-h-9 whitespace-nowrap rounded px-2 text-soft text-sm hover:text-ink"
      >
        Log out
      </button>
    </div>
  );
}

/** How the sandbox is; its chain is followed as long as this is shown. */
function State() {
  const { data, isError } = useQuery(infoQuery);
  const { connected } = useLive();
  const queries = useQueryClient();
  const ready = data !== undefined;
  usePriceEvents(useAttention() && ready);
  // Where the chain's stream ends, the service may have ended.
  useEffect(() => {
    if (!connected) void queries.invalidateQueries(infoQuery);
  }, [connected, queries]);
  useEffect(() => {
    if (!ready) return undefined;
    const { rpcUrl, wsUrl, wallets } = data;
    return follow({ rpcUrl, wsUrl, of: wallets.map(({ address }) => address) });
    // The chain is the same as long as the service runs.
  }, [ready]);
  const [text, colour] = isError
    ? ['no answer', 'bg-down']
    : !ready
      ? ['connecting', 'bg-edge']
      : connected
        ? ['sandbox', 'bg-up']
        : ['chain away', 'bg-warn'];
  return (
    <output className="flex items-center gap-1.5 rounded-full border border-line px-2 py-0.5 text-soft text-xs">
      <span className={`size-2 rounded-full ${colour}`} />
      <span className="max-sm:sr-only">{text}</span>
    </output>
  );
}

const OF_BROWSER = 'browser:';

/** Who acts on every screen: a wallet of the sandbox, or one that the browser has. */
function WalletChoice() {
  const { data: info } = useQuery(infoQuery);
  const chosen = useWalletName();
  const offered = useBrowserWallets();
  const account = useBrowserAccount();
  const [problem, setProblem] = useState('');
  if (info === undefined) return null;
  const choose = (value: string) => {
    setProblem('');
    if (!value.startsWith(OF_BROWSER)) {
      leaveBrowserWallet();
      chooseWallet(value);
      return;
    }
    const name = value.slice(OF_BROWSER.length);
    connectBrowserWallet(name).catch((error: unknown) =>
      setProblem(`${plainName(name)}: ${plainName(error instanceof Error ? error.message : String(error), 120)}`),
    );
  };
  return (
    <div className="flex min-w-0 items-center gap-2">
      {problem && (
        <p role="alert" className="truncate text-down text-xs" title={problem}>
          {problem}
        </p>
      )}
      <label className="flex items-center gap-2 text-soft text-sm">
        <span className="max-sm:sr-only">Acting as</span>
        <select
          value={account ? OF_BROWSER + account.name : chosen}
          onChange={({ target }) => choose(target.value)}
          className="min-h-9 max-w-40 rounded border border-edge bg-panel px-2 font-semibold text-ink"
        >
          {info.wallets.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
          {offered.length > 0 && (
            <optgroup label="In this browser">
              {offered.map((name) => (
                <option key={name} value={OF_BROWSER + name}>
                  {plainName(name)}
                </option>
              ))}
            </optgroup>
          )}
        </select>
      </label>
    </div>
  );
}

function ThemeSwitch() {
  const theme = useTheme();
  const other = theme === 'dark' ? 'light' : 'dark';
  return (
    <button
      type="button"
      onClick={() => chooseTheme(other)}
      aria-label={`Switch to the ${other} theme`}
      className="grid size-9 place-items-center rounded text-soft hover:text-ink"
    >
      <Icon name={theme === 'dark' ? 'sun' : 'moon'} className="size-5" />
    </button>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { useEffect } from 'react';
import { follow, useLive } from './lib/live.js';
import { infoQuery } from './lib/sandbox.js';
import { chooseTheme, useTheme } from './lib/theme.js';
import { chooseWallet, useWalletName } from './lib/wallet.js';
import { Icon, type IconName } from './ui/icon.js';
import { Trouble } from './ui/trouble.js';

const PAGES: readonly {
  to: '/' | '/swap' | '/orders' | '/launch' | '/send' | '/chain';
  name: string;
  icon: IconName;
}[] = [
  { to: '/', name: 'Home', icon: 'home' },
  { to: '/swap', name: 'Swap', icon: 'swap' },
  { to: '/orders', name: 'Orders', icon: 'orders' },
  { to: '/launch', name: 'Launch', icon: 'launch' },
  { to: '/send', name: 'Send', icon: 'send' },
  { to: '/chain', name: 'Chain', icon: 'chain' },
];

/** What stands around every screen. */
export function Shell() {
  const { data: info, error, isError } = useQuery(infoQuery);
  const ready = info !== undefined;
  useEffect(() => {
    if (!ready) return undefined;
    const { rpcUrl, wsUrl, wallets } = info;
    return follow({ rpcUrl, wsUrl, of: wallets.map(({ address }) => address) });
    // The chain is the same as long as the service runs.
  }, [ready]);
  return (
    <div className="mx-auto grid min-h-dvh max-w-[1500px] grid-rows-[auto_1fr] pb-16 md:grid-cols-[11rem_1fr] md:pb-0">
      <a href="#screen" className="absolute -top-20 left-2 z-20 rounded bg-accent px-3 py-2 text-on-accent focus:top-2">
        Skip to the screen
      </a>
      <header className="col-span-full flex h-14 items-center gap-3 border-line border-b px-3 md:px-5">
        <Link to="/" className="flex items-center gap-2 font-semibold tracking-tight">
          <Icon name="mark" className="size-6 text-accent" />
          Slipway
        </Link>
        <State down={isError} ready={ready} />
        <span className="flex-1" />
        {ready && <WalletChoice names={info.wallets.map(({ name }) => name)} />}
        <ThemeSwitch />
      </header>
      <Navigation />
      <main id="screen" tabIndex={-1} className="min-w-0 px-3 py-4 outline-none md:px-5">
        {isError && <Trouble error={error} stale={ready} />}
        {ready && <Outlet />}
      </main>
    </div>
  );
}

function Navigation() {
  return (
    <nav
      aria-label="Screens"
      className="fixed inset-x-0 bottom-0 z-10 flex border-line border-t bg-ground md:static md:flex-col md:gap-1 md:border-t-0 md:border-r md:bg-transparent md:p-3"
    >
      {PAGES.map(({ to, name, icon }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: to === '/' }}
          activeProps={{ className: 'text-ink bg-tint font-semibold' }}
          inactiveProps={{ className: 'text-soft hover:text-ink' }}
          className="flex min-h-14 flex-1 flex-col items-center justify-center gap-0.5 rounded text-xs md:min-h-10 md:flex-none md:flex-row md:justify-start md:gap-3 md:px-3 md:text-sm"
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

function State({ down, ready }: { down: boolean; ready: boolean }) {
  const { connected } = useLive();
  const [text, colour] = down
    ? ['no answer', 'bg-down']
    : !ready
      ? ['connecting', 'bg-edge']
      : connected
        ? ['sandbox', 'bg-up']
        : ['chain away', 'bg-warn'];
  return (
    <output className="flex items-center gap-1.5 rounded-full border border-line px-2 py-0.5 text-soft text-xs">
      <span className={`size-2 rounded-full ${colour}`} />
      {text}
    </output>
  );
}

function WalletChoice({ names }: { names: readonly string[] }) {
  const chosen = useWalletName();
  return (
    <label className="flex items-center gap-2 text-soft text-sm">
      <span className="max-sm:sr-only">Acting as</span>
      <select
        value={chosen}
        onChange={({ target }) => chooseWallet(target.value)}
        className="min-h-9 rounded border border-edge bg-panel px-2 font-semibold text-ink"
      >
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
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

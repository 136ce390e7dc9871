import { Link } from '@tanstack/react-router';

const PAGES = [
  { to: '/orders', name: 'Price orders' },
  { to: '/orders/limit', name: 'Limit orders' },
] as const;

/** The two kinds of orders, each a screen: from a vault at a price in USD, and on the chain for what somebody pays. */
export function WhichOrders() {
  return (
    <nav aria-label="Kinds of orders" className="mb-3 flex gap-1 text-sm">
      {PAGES.map(({ to, name }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: true }}
          activeProps={{ className: 'bg-tint font-semibold text-ink' }}
          inactiveProps={{ className: 'text-soft hover:text-ink' }}
          className="flex min-h-9 items-center rounded px-3"
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}

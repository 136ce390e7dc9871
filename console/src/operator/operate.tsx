import { Link, useParams } from '@tanstack/react-router';
import { Admins } from './admins.js';
import { Invites, Launches } from './flows.js';
import { Keys } from './keys.js';
import { Makers } from './makers.js';
import { Orders } from './orders.js';
import { Requests } from './requests.js';
import { Stops } from './stops.js';
import { Verifications } from './verifications.js';
import { Webhooks } from './webhooks.js';

const PARTS = {
  keys: { name: 'Keys', screen: Keys },
  verifications: { name: 'Verifications', screen: Verifications },
  makers: { name: 'Makers and venues', screen: Makers },
  orders: { name: 'Orders', screen: Orders },
  requests: { name: 'Requests', screen: Requests },
  launches: { name: 'Launches', screen: Launches },
  invites: { name: 'Invites', screen: Invites },
  webhooks: { name: 'Webhooks', screen: Webhooks },
  stop: { name: 'Stop', screen: Stops },
  admins: { name: 'Admins', screen: Admins },
} as const;
type Part = keyof typeof PARTS;

/** What the operator looks after, part by part. */
export function Operate() {
  const { part = 'keys', id } = useParams({ strict: false }) as { part?: string; id?: string };
  const Screen = Object.hasOwn(PARTS, part) ? PARTS[part as Part].screen : undefined;
  return (
    <>
      <h1 className="mb-3 font-semibold text-lg">Operate</h1>
      <nav aria-label="Parts" className="mb-4 flex flex-wrap gap-1">
        {Object.entries(PARTS).map(([to, { name }]) => (
          <Link
            key={to}
            to="/operate/$part"
            params={{ part: to }}
            aria-current={to === part ? 'page' : undefined}
            className={`flex min-h-9 items-center rounded px-3 text-sm ${to === part ? 'bg-tint font-semibold' : 'text-soft hover:text-ink'}`}
          >
            {name}
          </Link>
        ))}
      </nav>
      {Screen === undefined ? <p>There is no such part.</p> : <Screen key={id} id={id} />}
    </>
  );
}

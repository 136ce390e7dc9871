import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { infoQuery } from './lib/sandbox.js';
import { Trouble } from './ui/trouble.js';

/** The screens of a sandbox, shown once it is known what it is made of. */
export function SandboxScreens() {
  const { data, error } = useQuery(infoQuery);
  const ready = data !== undefined;
  return (
    <>
      {error && <Trouble error={error} stale={ready} />}
      {ready && <Outlet />}
    </>
  );
}

import { useEffect, useState } from 'react';

const LONG_MS = 4_000;

/** Stands where something is not there yet; after a while it says that this takes long. */
export function Waiting({ className = '' }: { className?: string }) {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), LONG_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p role="status" className={`text-soft text-sm ${className}`}>
      Reading …{isLong && ' The answer takes long.'}
    </p>
  );
}

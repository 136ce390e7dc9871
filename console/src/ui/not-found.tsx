import { Link } from '@tanstack/react-router';

export function NotFound() {
  return (
    <p>
      There is no such screen.{' '}
      <Link to="/" className="text-accent underline">
        Back home
      </Link>
    </p>
  );
}

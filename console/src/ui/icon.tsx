const PATHS = {
  mark: 'M2 20h20M2 20 18 7v13M9 9.5l5-3.7',
  home: 'M4 11 12 4l8 7v9h-5v-6H9v6H4z',
  swap: 'M4 8h14l-4-4M20 16H6l4 4',
  orders: 'M3 6h18M3 12h11M3 18h18M17 9v6',
  launch: 'M4 20c8 0 14-4 16-16M4 20v-5M4 20h5M13 4h7v7',
  send: 'M4 9h16v11H4zM4 9l2-4h12l2 4M12 5v15',
  chain: 'M9 15l6-6M8 11l-3 3a4 4 0 0 0 5 5l3-3M16 13l3-3a4 4 0 0 0-5-5l-3 3',
  overview: 'M4 20V4M4 20h16M8 16l4-5 3 3 5-7',
  operate: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4',
  book: 'M5 4h13v16H5zM5 16h13M9 8h5',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5 19 19M5 19l1.5-1.5M17.5 6.5 19 5',
  moon: 'M19 14.5A8 8 0 0 1 9.5 5a8 8 0 1 0 9.500 9.500z',
  copy: 'M8 8h11v12H8zM5 16V4h11',
  check: 'M4 13l5 5L20 6',
  cross: 'M6 6l12 12M18 6 6 18',
  turn: 'M7 4v15M7 19l-3-3M7 19l3-3M17 20V5M17 5l-3 3M17 5l3 3',
} as const;
export type IconName = keyof typeof PATHS;

export function Icon({ name, className }: { name: IconName; className: string }) {
  return (
    <svg
      viewBox="0 0 24 24"
      aria-hidden="true"
      className={className}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.7"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

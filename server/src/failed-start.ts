/** Says why Berth did not start, and ends the process. */
export function failStart(error: unknown): never {
  const isForPeople = error instanceof Error && error.name === 'AppError';
  process.stderr.write(
    `${isForPeople ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exit(1);
}

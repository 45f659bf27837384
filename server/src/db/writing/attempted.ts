/**
 * Work that can be taken back alone, inside a transaction: a savepoint, the same in both databases. One at a
 * time in a transaction, so one name does.
 */
export async function attempted<T>(
  run: (sql: string) => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  await run('SAVEPOINT attempt');
  try {
    const result = await work();
    await run('RELEASE SAVEPOINT attempt');
    return result;
  } catch (error) {
    await run('ROLLBACK TO SAVEPOINT attempt');
    await run('RELEASE SAVEPOINT attempt');
    throw error;
  }
}

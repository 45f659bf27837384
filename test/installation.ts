/** The installation that tests make things for where they need no Berth. */
export const testInstallation = 'testinstallation';

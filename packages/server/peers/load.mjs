// Imports a package of this folder, for tests that run in another.
export const load = (name) => import(name);

// The issues that the settings of a server report.
import { readSettings, SettingsError } from '../src/settings/settings.ts';

/** The issues of an environment. */
export function issuesOf(environment: Readonly<Record<string, string>>): readonly string[] {
  try {
    readSettings(environment);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.issues;
    throw error;
  }
}

// Runs the playground alone, and prints its wallets and the settings for a server that uses it.
//
//   node packages/playground/scripts/playground.mjs [folder for the payers' keys]
import '../../core/scripts/check-node.mjs';
import { processTerminal } from '@grainline/server';
import { startPlayground } from '../dist/index.js';

const terminal = processTerminal();
const [keypairsIn = 'data'] = process.argv.slice(2);
const playground = await startPlayground({
  keypairsIn,
  chain: { port: Number(process.env.PLAYCHAIN_PORT ?? 8899) },
  facilitatorPort: Number(process.env.FACILITATOR_PORT ?? 0),
});
const leave = terminal.onSignal(() => {
  // A second signal ends the process at once.
  leave();
  void playground.stop().then(() => process.exit(0));
});
console.log(playground.banner);
console.log('\nA server that takes this money:\n');
for (const [name, value] of Object.entries(playground.environment)) console.log(`  export ${name}=${value}`);
console.log('  npm run serve\n\nCtrl-C ends it, and with it all that was paid.');

/** Attaches to a container, starts it, says so, and hangs until it is killed: run by a test as a process of its own. */
import { connectEngine } from '../connect-engine.ts';

const [endpoint = '', id = ''] = process.argv.slice(2);
const engine = await connectEngine(endpoint);
const attached = await engine.attach(id);
await engine.startContainer(id);
attached.write('hello');
for await (const line of attached.lines) console.log(line);

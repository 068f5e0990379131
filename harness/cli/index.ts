/** cli: the `squall` command. Each file in `commands/` is one command; other rooms never import this one. */
export { main } from './main.ts';

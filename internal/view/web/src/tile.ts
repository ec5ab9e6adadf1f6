// Tiles as the server sends them: package tiles of internal/serve says what each byte means.

export const tilePixels = 256;

export interface Tile {
	side: number; // trace that it is of
	kind: number; // 0: bands of a lane, 1: band of a group, 2: calls
	level: number;
	index: number;
	of: number; // the lane, or the group
	rows: number;
	regions: Uint32Array;
	counts: Uint8Array; // of bands: the number of cells of each row and pixel
	rowStarts: Uint32Array; // the place of each row's first cell
	region: Uint8Array | Uint16Array; // of cells or calls
	share: Uint8Array;
	blur?: Uint8Array;
	least: number; // of calls
	exact: boolean; // asked for with all calls of at least a pixel
	row: Uint16Array;
	depth: Uint16Array;
	begin: Uint16Array;
	end: Uint16Array;
	flags: Uint8Array;
	bytes: number;
}

const none32 = new Uint32Array(0), none16 = new Uint16Array(0), none8 = new Uint8Array(0);

// parse takes an answer apart.
export function parse(answer: ArrayBuffer): Tile[] {
	const view = new DataView(answer), list: Tile[] = [];
	for (let at = 0; at < answer.byteLength; ) {
		if (view.getUint32(at) !== 0x50544c01) throw new Error("The server speaks of tiles in another way: load the page again.");
		const t = head(view, at);
		const cells = view.getUint32(at + 28, true), wide = (view.getUint16(at + 6, true) & 1) !== 0;
		let next = at + 40 + 4 * t.regions.length;
		const take8 = (n: number) => new Uint8Array(answer.slice(next, (next += n)));
		const take16 = (n: number) => new Uint16Array(answer.slice(next, (next += 2 * n)));
		if (t.kind === 2) {
			[t.row, t.depth, t.region, t.begin, t.end] = [take16(cells), take16(cells), take16(cells), take16(cells), take16(cells)];
			t.flags = take8(cells);
		} else {
			t.counts = take8(t.rows * tilePixels);
			t.rowStarts = rowStarts(t.counts, t.rows);
			t.region = wide ? take16(cells) : take8(cells);
			t.share = take8(cells);
			if (view.getUint16(at + 6, true) & 2) t.blur = take8(tilePixels);
		}
		t.bytes = next - at + t.rowStarts.byteLength + 1000;
		at += Math.ceil((next - at) / 4) * 4;
		list.push(t);
	}
	return list;
}

function head(view: DataView, at: number): Tile {
	return {
		side: 0, kind: view.getUint8(at + 4), level: view.getUint8(at + 5), index: Number(view.getBigInt64(at + 8, true)), of: view.getUint32(at + 16, true),
		rows: view.getUint16(at + 20, true), regions: new Uint32Array(view.buffer.slice(at + 40, at + 40 + 4 * view.getUint32(at + 24, true))),
		exact: false, least: Number(view.getBigInt64(at + 32, true)), counts: none8, rowStarts: none32, region: none8, share: none8, row: none16, depth: none16,
		begin: none16, end: none16, flags: none8, bytes: 0,
	};
}

function rowStarts(counts: Uint8Array, rows: number): Uint32Array {
	const list = new Uint32Array(rows);
	for (let row = 0, at = 0; row < rows; row++) {
		list[row] = at;
		for (let i = row * tilePixels; i < (row + 1) * tilePixels; i++) at += counts[i];
	}
	return list;
}

// startsOf returns the places of the first cells of a row's pixels, and the place behind its last cell. Only rows in sight need them.
export function startsOf(t: Tile, row: number): Uint32Array {
	const list = new Uint32Array(tilePixels + 1), from = row * tilePixels;
	list[0] = t.rowStarts[row];
	for (let i = 0; i < tilePixels; i++) list[i + 1] = list[i] + t.counts[from + i];
	return list;
}

// Grid is the grid of a trace, whose first event is at a time that may be larger than numbers are exact.
export class Grid {
	private readonly first: bigint;
	constructor(first: string) {
		this.first = BigInt(first);
	}
	// phase is the time from the begin of tile 0 to the first event.
	phase(level: number): number {
		const ticks = BigInt(tilePixels) << BigInt(level), rest = this.first % ticks;
		return Number(rest < 0n ? rest + ticks : rest);
	}
}

// levelOf returns the level whose pixels are at most as long as those of the screen.
export const levelOf = (ticksPerPixel: number) => Math.max(0, Math.min(52, Math.floor(Math.log2(ticksPerPixel))));

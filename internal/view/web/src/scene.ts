// What the page asks the painter for. All lengths are pixels of the device, all times ticks since the trace's first event.

export interface Line {
	kind: "group" | "location";
	number: number; // place in the list of groups or locations, of both traces
	side: number; // trace that it is of: place in the list of sides
	lane: number;
	place: number; // row in tiles of the lane
	y: number;
	band: number; // height of the band
	calls: boolean; // below it are calls by depth
	height: number; // of all: band, calls, and the curve at the bottom
	curve: number; // height of the counter's curve, 0 for none
	a: number; // its locations by place, from a to b-1; none of an open group
	b: number;
}

export interface Messages {
	sender: number[];
	receiver: number[];
	send_ticks: number[];
	receive_ticks: number[];
	from_ticks: number;
	cell_ticks: number;
	count: number; // of all, also where they are not listed
	cells: { row: number; to: number; sent: Uint32Array; received: Uint32Array }[]; // of rows [row, to) together
	marked?: boolean; // drawn so that they stand out
}

export interface Curves {
	from_ticks: number;
	pixel_ticks: number;
	rows: { row: number; least: (number | null)[]; greatest: (number | null)[]; last: (number | null)[] }[];
}

// Over is what is drawn over the rows: boxes on the row of a location, links between two of them, and frames around what several do together.
export interface Over {
	kind: string;
	boxes: { row: number; from: number; to: number }[];
	links: { from: number; sent: number; to: number; came: number }[];
	frames: { rows: number[]; from: number; to: number; late: number; came: number }[]; // the location that came last is marked where it came
}

// Side is a trace of the picture, and where its time lies on the axis.
export interface Side {
	trace: string; // path of its questions
	first: string;
	tree: string; // what its groups are
	shift: number; // its first event on the axis, in ticks of the axis
	rate: number; // its ticks in one of the axis
	groups: number; // number of those before its own
	regions: number;
}

export interface Scene {
	id: number;
	part: number; // which of the painters' pictures it is: each paints some of the rows
	y: number; // of the first row of the part
	begin: number; // of what there is on the axis
	end: number;
	ahead: boolean; // fetch what may be shown next
	pointer: number; // where keys zoom, from left to right
	sides: Side[];
	state: number; // of the files: tiles of another state are forgotten
	from: number;
	to: number;
	width: number;
	height: number;
	ratio: number;
	lines: Line[];
	open: { side: number; lane: number; place: number; number: number }[]; // locations whose calls are shown, in sight or not
	depthHeight: number;
	rows: { a: number; b: number; y: number }[]; // of the whole picture: locations from a to b-1 by place, and the middle of the row that they are in
	messages?: Messages[]; // of each trace
	curves?: Curves[]; // of each trace
	over?: Over;
	accent: string;
	colours: Uint32Array; // by place of a region: ABGR
	names: string[]; // of regions
	ink: string;
	soft: string;
	back: string;
}

export interface Frame {
	id: number;
	part: number;
	y: number;
	bitmap: ImageBitmap;
	from: number;
	to: number;
	depths: { [location: number]: number };
	blur: number; // largest, in ticks
	least: number; // all calls that last so many ticks are shown; 0 without calls
	rough: boolean; // another picture with shorter calls follows
	took: number; // ms
}

// isDense reports whether there are more messages than are listed.
export const isDense = (m: Messages) => m.count > m.sender.length;

// rangeOf returns the least and the greatest value of all curves, as recorded.
export function rangeOf(all: Curves[]): { low: number; high: number } {
	let low = Infinity, high = -Infinity;
	for (const r of all.flatMap((c) => c.rows)) {
		for (const v of r.least) if (v !== null) low = Math.min(low, v);
		for (const v of r.greatest) if (v !== null) high = Math.max(high, v);
	}
	return { low, high };
}

// live makes a component that is drawn anew when a signal that it read changes.

import { Component, ComponentChild } from "preact";
import { effect } from "@preact/signals-core";

export function live<P>(draw: (props: P) => ComponentChild) {
	return class extends Component<P> {
		private stop?: () => void;
		render() {
			this.stop?.();
			let drawn: ComponentChild, first = true;
			this.stop = effect(() => {
				if (first) drawn = draw(this.props as P);
				else this.setState({});
				first = false;
			});
			return drawn;
		}
		componentWillUnmount() {
			this.stop?.();
		}
	};
}

import { Component, type ReactNode } from 'react';
import { Refused } from '../kit/kit.tsx';

/** Keeps a mistake of a view within that view, and says what it was. */
export class Boundary extends Component<{ readonly children: ReactNode }, { readonly error?: unknown }> {
  override state: { readonly error?: unknown } = {};

  static getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return (
      <div className="door">
        <h1>This view has failed</h1>
        <Refused error={this.state.error} />
        <button type="button" onClick={() => location.reload()}>
          Load the page again
        </button>
      </div>
    );
  }
}

/** The line that says that something else would happen by now. */
export const Past = ({ onShow }: { readonly onShow: () => void }) => (
  <p className="note" role="status">
    The zone has changed since this was computed: something else would happen by now.{' '}
    <button type="button" onClick={onShow}>
      Show what would happen now
    </button>
  </p>
);

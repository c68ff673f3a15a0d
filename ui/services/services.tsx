export default function Services() {
  return <p />;
}

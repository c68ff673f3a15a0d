import './style.css';
import { createRoot } from 'react-dom/client';

createRoot(document.getElementById('root')!).render(<p>Muster</p>);

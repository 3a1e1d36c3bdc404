import { describe, expect, it } from 'vitest';
import { Markup, markup } from '../../src/report/html/markup.js';

describe('markup', () => {
  it('takes what is put in for text, whatever it holds', () => {
    const hostile = `</script><img src=x onerror="alert('1')">&amp;`;
    expect(markup`<p title="${hostile}">${hostile}</p>`.text).toBe(
      '<p title="&lt;/script&gt;&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;amp;">' +
        '&lt;/script&gt;&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;amp;</p>',
    );
  });

  it('shows what is invisible or turns the line as an escape', () => {
    expect(markup`${'a\u202Eb\u0000c\u001B[2Jd\u2066e\ud800'}`.text).toBe(
      String.raw`a\u202eb\x00c\x1b[2Jd\u2066e\ud800`,
    );
  });

  it('keeps markup made by itself, alone and in lists, and nothing of what is missing', () => {
    expect(markup`<ul>${[markup`<li>${1}</li>`, undefined, [markup`<li>${'<'}</li>`]]}</ul>`.text).toBe(
      '<ul><li>1</li><li>&lt;</li></ul>',
    );
    expect(markup`${new Markup('<b>')}`.text).toBe('<b>');
  });
});

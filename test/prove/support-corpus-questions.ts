/**
 * Questions about public documents that nobody of this project has written: the PDFs of the corpus that hold prose or lists, by their
 * names there, and the page that answers each.
 */
export const corpusQuestions: readonly (readonly [question: string, ...pages: string[]])[] = [
  ['How are inverses computed quickly in a Galois field?', 'issue6132.pdf:1'],
  ['Which field arithmetic makes encryption with elliptic curves faster?', 'issue6132.pdf:1'],
  ['Who wrote about optimal extension fields?', 'issue6132.pdf:1'],
  ['Should I buy shares of the Finnish infrastructure builder?', 'chrome-text-selection-markedContent.pdf:1'],
  ['How much will sales of the construction company grow because of railway work?', 'chrome-text-selection-markedContent.pdf:1'],
  ['What is the analyst’s price target after the fourth quarter?', 'chrome-text-selection-markedContent.pdf:1'],
  ['How do I set my LaTeX document in a humanist sans serif typeface?', 'issue10640.pdf:1'],
  ['Who designed Open Sans?', 'issue10640.pdf:1'],
  ['What did the Japanese electric corporation earn in fiscal 2021?', 'issue14297.pdf:1'],
  ['How did remeasured pension plans change comprehensive income?', 'issue14297.pdf:1'],
  ['Which library draws PDF files inside the browser on a canvas?', 'pdfjs_wikipedia.pdf:1'],
  ['Since when has Firefox had a document viewer of its own?', 'pdfjs_wikipedia.pdf:1'],
  ['I wrote a browser feature, which kind of automated test should I choose?', 'file_pdfjs_test.pdf:1', 'file_pdfjs_test.pdf:5'],
  ['How do I check that two web pages are drawn exactly alike?', 'file_pdfjs_test.pdf:2'],
  ['Where do I add a page that used to crash the browser?', 'file_pdfjs_test.pdf:2'],
  ['How is the time measured that the browser needs to start?', 'file_pdfjs_test.pdf:3'],
  ['What do the letters in the names of performance suites mean?', 'file_pdfjs_test.pdf:3'],
  ['What tells me when the event loop is blocked and the program feels sluggish?', 'file_pdfjs_test.pdf:4', 'file_pdfjs_test.pdf:5'],
  ['How do I test the user interface on a phone?', 'file_pdfjs_test.pdf:5', 'file_pdfjs_test.pdf:4'],
  ['When does Faith No More play?', 'issue840.pdf:2', 'issue840.pdf:1'],
  ['Which bands are on stage at the rock festival?', 'issue840.pdf:2', 'issue840.pdf:1'],
  ['How can a compiler make code fast when the types of variables are not known?', 'issue7014.pdf:1'],
  ['How are hot loops recorded and turned into machine code while a script runs?', 'issue7014.pdf:1'],
  ['Why does a shopkeeper put a communist slogan in his window?', 'issue918.pdf:1'],
  ['How does Havel explain what ideology hides?', 'issue918.pdf:1'],
  ['Is my mattress too old for a good night?', 'issue9972-3.pdf:1', 'issue9972-2.pdf:1', 'issue9972-1.pdf:1'],
  ['What should I look at in my bedroom to sleep better?', 'issue9972-3.pdf:1', 'issue9972-2.pdf:1', 'issue9972-1.pdf:1'],
  ['How much do I owe for the branding workshop?', 'bigboundingbox.pdf:1'],
  ['By when must the invoice be paid, and how?', 'bigboundingbox.pdf:1'],
  ['How can I tell whether product reviews in an online shop are genuine?', 'bug1868759.pdf:1'],
];

/** The documents that the questions are about. */
export const askedDocuments: ReadonlySet<string> = new Set(
  corpusQuestions.flatMap(([, ...pages]) => pages.map((page) => page.slice(0, page.lastIndexOf(':')))),
);

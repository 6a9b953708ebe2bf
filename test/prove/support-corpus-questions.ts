export type Questions = readonly (readonly [question: string, ...pages: string[]])[];

/**
 * Questions about public documents that nobody of this project has written: the PDFs of the corpus that hold prose or lists, by their
 * names there, and the page that answers each.
 */
export const corpusQuestions: Questions = [
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

/** Questions about others of the corpus, which hold less: a form, a notice, a title, some in another language than the question. */
export const formQuestions: Questions = [
  ['What do I pay each month to use the workshop of the hackers in Salzburg?', 'bug1669099.pdf:1'],
  ['Who pays less for being a member of the club?', 'bug1669099.pdf:1'],
  ['Which papers do I hand in when I ask for my language certificate?', 'bug1815476.pdf:1'],
  ['Which thesis makes symmetric encryption quick on Intel processors?', 'bug886717.pdf:1'],
  ['How are messages encrypted that are longer than what a cipher takes at once?', 'bug886717.pdf:1'],
  ['Which sum of fractions gives the square of the circle constant?', 'bug1937438_from_word.pdf:1'],
  ['Which course about the law of works councils is for beginners?', 'checkbox-bad-appearance.pdf:1'],
  ['How do I make tick boxes of which only one can be chosen?', 'issue12706.pdf:1'],
  ['How do we beat the pandemic?', 'issue12798_page1_reduced.pdf:1'],
  ['Why do I see a warning in place of my form, and what must I set up?', 'issue14130.pdf:1'],
  ['Which component shows forms to be filled in on an Angular page?', 'issue17492.pdf:1'],
  ['Which programming languages and databases does the applicant know?', 'issue17492.pdf:1'],
  ['Why can most programs not decrypt a file although its password is empty?', 'issue19484_1.pdf:1', 'issue19484_2.pdf:1'],
  ['How is a secret that is too short made long enough for the cipher?', 'issue19484_1.pdf:1'],
  ['How are programs described that do more at once the more processors there are?', 'issue2462.pdf:1'],
  ['What can new style sheets draw that old browsers cannot?', 'issue2948.pdf:1'],
  ['From when until when is my car insured?', 'issue6410.pdf:1'],
  ['What should I mind when I settle my credit card bill by letter?', 'issue6605.pdf:1'],
  ['Where does a company declare the dividends that it has received?', 'issue7403.pdf:1'],
  ['How does a company get back taxes of which it has paid too much?', 'issue7403.pdf:2'],
  ['Am I covered when I die before my loan is paid back?', 'issue7454.pdf:1'],
  [
    'What becomes of see-through layers when one group lies within another?',
    ...[1, 2, 3].map((page) => `knockout_groups_test.pdf:${page}`),
  ],
  ['How can a film be played inside a page?', 'multimedia_annotations.pdf:1'],
  ['How do colours run from one circle to another?', ...[1, 2, 3, 4, 5].map((page) => `radial_gradients.pdf:${page}`)],
  ['Who coordinates the authorities of the whole country?', 'smaskdim.pdf:1'],
  ['How wide is a stroke whose thickness is nought?', 'zerowidthline.pdf:1'],
];

/** The documents that the questions are about. */
export const askedDocuments: ReadonlySet<string> = new Set(
  [...corpusQuestions, ...formQuestions].flatMap(([, ...pages]) => pages.map((page) => page.slice(0, page.lastIndexOf(':')))),
);

"""Makes the workbooks beside it: python3 make.py (needs openpyxl and xlsxwriter). What they hold stands in excel.test.ts as literals.

libreoffice.xlsx is made of libreoffice.fods by LibreOffice 7.4: soffice --headless --convert-to xlsx libreoffice.fods
"""
import datetime as d
import os

import openpyxl
import xlsxwriter
from openpyxl.utils.datetime import CALENDAR_MAC_1904

os.chdir(os.path.dirname(os.path.abspath(__file__)))
made = d.datetime(2024, 1, 1)


def save(book, name):
    book.properties.created = book.properties.modified = made
    book.save(name)


# Values by kind, below a title and an empty row.
book = openpyxl.Workbook()
sheet = book.active
sheet.title = "Films"
sheet["A1"] = "Films of the year"
sheet.append([])
sheet.append(["id", "whole", "share", "day", "moment", "clock", "length", "mixed", "text"])
rows = [
    ["f1", 1, 0.1, d.date(2024, 2, 29), d.datetime(2024, 2, 29, 23, 59, 58, 999000), d.time(18, 30), d.timedelta(hours=36, minutes=5), 12, " kept "],
    ["f2", -9007199254740991, 1e300, d.date(1999, 12, 31), d.datetime(1999, 12, 31), d.time(0, 0, 1), d.timedelta(seconds=1), d.date(2024, 3, 1), "two\nlines"],
    ["f3", None, -0.3, None, None, None, None, "n/a", "007"],
    [None, None, None, None, None, None, None, None, None],
    ["f4", 0, 3, d.date(9999, 12, 31), d.datetime(2024, 1, 1, 12), d.time(23, 59, 59), d.timedelta(days=10), 0.5, "#N/A"],
]
for row in rows:
    sheet.append(row)
for cells in sheet.iter_rows(min_row=4):
    cells[1].number_format = '#,##0;"days" d'
    cells[2].number_format = '0.00 "h";[Red]-0.00'
    cells[6].number_format = "[h]:mm:ss"
sheet["I8"].data_type = "s"
sheet.merge_cells("A1:C1")
sheet.row_dimensions[4].hidden = True
sheet.column_dimensions["B"].hidden = True
save(book, "kinds.xlsx")

# Serial numbers as they are, with the format of a date: the days around 29 February 1900, and the 1904 system.
for name, epoch, serials in (
    ("early-1900.xlsx", None, [1, 2, 59, 61, 62, 366, 367, 59.75, 43830.999999]),
    ("early-1904.xlsx", CALENDAR_MAC_1904, [0, 1, 58, 59, 60, 0.25, 2957002]),
):
    book = openpyxl.Workbook()
    if epoch:
        book.epoch = epoch
    sheet = book.active
    sheet.append(["day"])
    for at, serial in enumerate(serials, 2):
        sheet.cell(at, 1, serial).number_format = "yyyy-mm-dd hh:mm:ss"
    save(book, name)

# Several sheets, with shared strings: hidden ones, an empty one, a chart.
book = xlsxwriter.Workbook("sheets.xlsx", {"constant_memory": False})
book.set_properties({"created": made})
for name in ("Films", "Actors", "Old", "Empty"):
    sheet = book.add_worksheet(name)
    if name != "Empty":
        sheet.write_row(0, 0, ["sheet", "n"])
        sheet.write_row(1, 0, [name, 7])
book.get_worksheet_by_name("Old").hide()
chart = book.add_chart({"type": "bar"})
chart.add_series({"values": "=Films!$B$2:$B$2"})
book.add_chartsheet("Chart").set_chart(chart)
book.close()

# Inline strings, rich text, odd characters, truth values; rows from the third on, columns from C on.
book = xlsxwriter.Workbook("rich.xlsx", {"constant_memory": True, "in_memory": False})
book.set_properties({"created": made})
bold = book.add_format({"bold": True})
sheet = book.add_worksheet("Töne & <Farben>")
sheet.write_row(2, 2, ["name", "ok"])
sheet.write_rich_string(3, 2, "plain ", bold, "bold", " end ")
sheet.write_boolean(3, 3, True)
sheet.write_string(4, 2, "tab\tcarriage\rbell\x07 _x0041_ 漢 🎬")
sheet.write_boolean(4, 3, False)
book.close()

# A formula as a program writes it that does not calculate.
book = xlsxwriter.Workbook("formula.xlsx")
book.set_properties({"created": made})
sheet = book.add_worksheet("Sums")
sheet.write_row(0, 0, ["n", "sum"])
sheet.write_row(1, 0, [1])
sheet.write_formula(1, 1, "=A2+1")
book.close()

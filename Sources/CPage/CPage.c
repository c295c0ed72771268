#include "CPage.h"
#pragma clang diagnostic ignored "-Wc23-extensions"

// What the C compiler writes for debuggers (DWARF 5) Debian's valgrind 3.19 cannot read.
#define NO_DEBUG __attribute__((nodebug))

NO_DEBUG static const uint8_t index_html[] = {
#embed "../FlowPage/Files/index.html"
};
NO_DEBUG static const uint8_t page_css[] = {
#embed "../FlowPage/Files/page.css"
};
NO_DEBUG static const uint8_t page_js[] = {
#embed "../FlowPage/Files/page.js"
};
NO_DEBUG static const uint8_t flow_js[] = {
#embed "../FlowPage/Files/flow.js"
};

NO_DEBUG const flow_file flow_index_html = {index_html, sizeof index_html};
NO_DEBUG const flow_file flow_page_css = {page_css, sizeof page_css};
NO_DEBUG const flow_file flow_page_js = {page_js, sizeof page_js};
NO_DEBUG const flow_file flow_flow_js = {flow_js, sizeof flow_js};

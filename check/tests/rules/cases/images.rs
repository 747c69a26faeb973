//! Mapped images: their descriptions.

use cuda_external_check::rules::Rule;
use cuda_external_sys::*;

use super::Case;
use super::cuda::*;

type Description = CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC;

/// A description that a driver may refuse, or take and read other bytes.
fn mapped(description: Description) {
    let _context = context();
    let memory = import();
    if let Ok(array) = map_array(memory, &description) {
        ok(destroy_array(array));
    }
    ok(destroy(memory));
}

fn right() {
    let _context = context();
    let memory = import();
    let array = map_array(memory, &Description { numLevels: 7, ..image(64, 64, 0, 0) }).expect("the mapping");
    ok(destroy_array(array));
    ok(destroy(memory));
}

pub fn cases() -> Vec<Case> {
    let case = |rule, bad| Case::new(rule, bad, right).fake();
    vec![
        case(Rule::ArrayTooLarge, || mapped(image(1024, 1024, 0, 0))),
        case(Rule::ArrayLevels, || mapped(Description { numLevels: 8, ..image(64, 64, 0, 0) })),
        Case::new(Rule::ArrayNoLevels, || mapped(Description { numLevels: 0, ..image(64, 64, 0, 0) }), right),
        case(Rule::ArrayChannels, || {
            let mut description = image(64, 64, 0, 0);
            description.arrayDesc.NumChannels = 3;
            mapped(description);
        }),
        case(Rule::ArrayExtents, || mapped(image(64, 32, 6, CUDA_ARRAY3D_CUBEMAP))),
    ]
}

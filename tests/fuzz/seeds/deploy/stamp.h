/* x
   hone-deploy 1 version=0.2.0 language=opencl source=8ec94eb100d7d74f1d2f33783b44d5f1144bbd6d968ac3ded52402506de95f1c spec-digest=9ffb890bb4ef25826fcc5fa0179107c6e3f6ffe9c0f0aaa5d3070dcd01494e7c spec=a%20b.json */
